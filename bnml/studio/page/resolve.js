// Step 4: what the data leave open. Keep or drop links of ambiguous regions, give directions, hide weak links.

import * as api from "./api.js";
import * as store from "./store.js";
import { GraphView, REGIONS, legend, pairKey } from "./graph.js";
import { announce, button, el, field, headed, notice, pValue, percent, plural, refill, short } from "./dom.js";

const place = el("div");
const top = el("div");
const more = el("div");
const side = el("div", { class: "side" });
const below = el("div");
const view = new GraphView({
  label: "The network and what is open in it",
  onlink: (link) => choose(pairKey(link.a, link.b)),
});
const under = el("div");
const picture = el("section", { class: "card picture" }, el("h2", { class: "unseen" }, "Picture"), view.element, under);
place.append(top, more, el("div", { class: "two wide-left" }, picture, side), below);

const TITLE = "What the data leave open";

let found = null; // the current result
let chosen = null; // the key of the link that is looked at
let mistake = null;
let threshold = 0;
let showTests = false;
let asked = null;
let stopped = null; // what went wrong when more was to be found out: { kind, error }

export const resolve = {
  name: "resolve",
  title: "Resolve",
  done: (session) =>
    Boolean(session.decisions.keep.length || session.decisions.drop.length || session.decisions.directed.length),
  element: () => place,
  update,
};

const redraw = () => update(store.current());

document.addEventListener("studio:choose", (event) => {
  chosen = pairKey(...event.detail);
  mistake = null;
});

async function update(session) {
  picture.hidden = side.hidden = below.hidden = more.hidden = !session.current;
  if (!session.current) {
    refill(top, headed("h1", TITLE, el("p", {}, "First learn a network, in step 3.")));
    return;
  }
  refill(more, measures(session));
  const wanted = `${session.current} ${session.revision}`;
  asked = wanted;
  if (!found) refill(top, headed("h1", TITLE, el("p", { class: "hint" }, "One moment…")));
  try {
    const answer = await store.result(session.current);
    if (asked !== wanted) return;
    found = answer;
  } catch (error) {
    refill(top, notice("error", error.message));
    return;
  }
  if (chosen && !found.links.some((link) => pairKey(link.a, link.b) === chosen)) chosen = null;
  view.selected = chosen;
  view.show(found.layout, found.links.map(painted));
  refill(top, heading(session));
  refill(side, details(session));
  refill(under, slider(), testsSwitch(), legend(samples()));
  refill(below, list());
  hideWeak();
}

/** What the picture shows of a link: its colour, how wide it is, and what is said of it. */
function painted(link) {
  const said = [word(link)];
  if (measured()) said.push(`support ${percent(supportOf(link))}`);
  return {
    ...link,
    directed: link.directed && !isDropped(link),
    region: inRegion(link) && !link.by_hand ? link.region : null,
    class: isDropped(link) ? "dropped" : isAbsent(link) ? "absent" : onlyTests(link) ? "only-tests" : null,
    said: said.join(", "),
    width: measured() ? 0.6 + 2.2 * (supportOf(link) ?? 0) : null,
  };
}

const isDropped = (link) => hasPair(store.current().decisions.drop, link);
const isAbsent = (link) => !link.in_network && !link.in_npc && !isDropped(link); // only support or probability speak for it
const onlyTests = (link) => !link.in_network && link.in_npc === true;
const inRegion = (link) => link.undecided && link.region !== null;

const measured = () => found.links.some((link) => supportOf(link) !== null);
const supportOf = (link) => link.support ?? link.probability ?? null;
const isOpen = (link) => !isDropped(link) && (link.undirected || link.undecided);

function heading(session) {
  const regions = new Set(found.links.filter(inRegion).map((link) => link.region));
  const directions = found.links.filter((link) => link.undirected && !link.undecided).length;
  const { keep, drop, directed } = session.decisions;
  const hand = keep.length + drop.length + directed.length;
  const open = [];
  if (regions.size) open.push(`${plural(regions.size, "region")} of links that exclude or need each other`);
  if (directions) open.push(`${plural(directions, "direction")}`);
  return headed(
    "h1",
    TITLE,
    el(
      "p",
      { class: "lead" },
      open.length
        ? `Open: ${open.join(", and ")}. Choose a link in the picture or in the list and say what you know; leave open what you do not know.`
        : "Nothing is open in this network. You can still look at every link.",
    ),
    hand > 0 &&
      el(
        "p",
        { class: "row" },
        notice("good", `${plural(hand, "decision")} by hand. ${changed()}The report tells of them.`),
        button("Take all back", () => decide({ keep: [], drop: [], directed: [] }), {
          class: "plain small",
          "data-key": "clear",
        }),
        button("Learn again with them", () => knowAndLearn(session), {
          class: "plain small",
          "data-key": "learn-again",
          title: "Makes them knowledge, of which the best network is then learned",
        }),
      ),
    el(
      "p",
      { class: "row" },
      button("Go on to asking", () => document.dispatchEvent(new CustomEvent("studio:go", { detail: "ask" })), {
        class: "primary",
        "data-key": "go",
      }),
    ),
  );
}

/** What decisions have changed in a network that a score found. */
function changed() {
  const { added_by_hand: added = [], removed_by_hand: removed = [], score_by_hand: score } = found.to_dict.info;
  if (!added.length && !removed.length) return "";
  const parts = [];
  if (added.length) parts.push(`got ${plural(added.length, "link")}`);
  if (removed.length) parts.push(`lost ${plural(removed.length, "link")}`);
  const by = `${short(Math.abs(score))} ${score < 0 ? "lower" : "higher"}`;
  return `The network ${parts.join(" and ")} by them; its score is ${by} than that of the one found. `;
}

/** Make the decisions knowledge, and go where the best network with it is learned. */
async function knowAndLearn(session) {
  const { keep, drop, directed } = session.decisions;
  const { required, forbidden, required_links, forbidden_links, tiers } = session.knowledge;
  const given = (list, more) => [...list, ...more.filter(([x, y]) => !list.some(([a, b]) => a === x && b === y))];
  try {
    await store.change(
      api.put("api/knowledge", {
        required: given(required, directed),
        forbidden,
        required_links: given(required_links, keep),
        forbidden_links: given(forbidden_links, drop),
        tiers,
      }),
    );
    document.dispatchEvent(new CustomEvent("studio:go", { detail: "learn" }));
  } catch (error) {
    mistake = error.message;
    refill(side, details(store.current()));
  }
}

const MEASURES = [
  ["npc", "npc", "Look for open regions", "Tests of independence (NPC) show which links stand for each other."],
  ["support", "bootstrap", "Measure support", "Learns from many halves of the rows: how often is a link found again?"],
  ["posterior", "posterior", "Compute probabilities", "How probable is each link, over all networks?"],
];

function measures(session) {
  const entry = session.results.find((one) => one.id === session.current);
  return el(
    "section",
    { class: "card slim" },
    el("h2", {}, "Find out more"),
    el(
      "div",
      { class: "measures" },
      MEASURES.map(([kind, part, text, hint]) => {
        const done = entry?.parts?.includes(part);
        const why = entry?.left_out?.[part];
        return el(
          "div",
          {},
          button(text, () => run(kind), {
            "data-key": kind,
            disabled: done || Boolean(session.job),
            "aria-describedby": `hint-${kind}`,
          }),
          el(
            "p",
            { class: done && !why ? "hint fine" : "hint", id: `hint-${kind}` },
            why ? `Not for this table: ${why}` : done ? "Done; you see it in the picture and in the list." : hint,
          ),
          stopped?.kind === kind && el("p", { class: "mistake", role: "alert" }, stopped.error),
        );
      }),
    ),
  );
}

async function run(kind) {
  stopped = null;
  try {
    await store.change(api.post("api/jobs", { kind }));
  } catch (error) {
    stopped = { kind, error: error.message };
    refill(more, measures(store.current()));
  }
}

document.addEventListener("studio:stopped", (event) => {
  const { kind, error, cancelled } = event.detail;
  if (cancelled || !place.isConnected || !MEASURES.some(([own]) => own === kind)) return;
  event.preventDefault();
  stopped = { kind, error };
  refill(more, measures(store.current()));
});

// ---- hiding the weak ones

function slider() {
  if (!measured()) return null;
  const what = found.links.some((link) => link.support !== null && link.support !== undefined)
    ? "support"
    : "probability";
  const output = el("output", { id: "hidden-count" });
  const range = el("input", {
    type: "range",
    min: 0,
    max: 100,
    step: 1,
    value: Math.round(100 * threshold),
    "data-key": "threshold",
    oninput: (event) => {
      threshold = Number(event.target.value) / 100;
      hideWeak();
    },
  });
  return el("div", { class: "slider" }, field(`Hide links with a ${what} below`, range, { inline: true }), output);
}

const isWeak = (link) => (threshold > 0 && (supportOf(link) ?? 0) < threshold) || isAside(link);

/** Whether a link is shown only to those who want to see what the tests alone found. */
const isAside = (link) =>
  !showTests && onlyTests(link) && !link.undecided && !link.by_hand && pairKey(link.a, link.b) !== chosen;

function testsSwitch() {
  const number = found.links.filter((link) => onlyTests(link) && !link.undecided && !link.by_hand).length;
  if (!number) return null;
  const box = el("input", {
    type: "checkbox",
    checked: showTests,
    "data-key": "show-tests",
    onchange: (event) => {
      showTests = event.target.checked;
      refill(under, slider(), testsSwitch(), legend(samples()));
      hideWeak();
    },
  });
  return el("label", { class: "show-tests" }, box, `Show ${plural(number, "link")} that only the tests ask for`);
}

function hideWeak() {
  view.hide(isWeak);
  const hidden = found.links.filter((link) => threshold > 0 && (supportOf(link) ?? 0) < threshold).length;
  const output = document.getElementById("hidden-count");
  if (output)
    output.textContent = `${Math.round(100 * threshold)} %${hidden ? `, ${plural(hidden, "link")} hidden` : ""}`;
  for (const row of below.querySelectorAll("tr[data-support]"))
    row.hidden = threshold > 0 && Number(row.dataset.support) < threshold;
}

function samples() {
  const some = (test) => found.links.some(test);
  const entries = [["directed", "direction known"]];
  if (some((link) => link.undirected && !link.undecided)) entries.push(["open", "direction open"]);
  const regions = [...new Set(found.links.filter(inRegion).map((link) => link.region))].sort((a, b) => a - b);
  for (const region of regions.slice(0, REGIONS))
    entries.push([`open in-region region-${region % REGIONS}`, `region ${region + 1}`]);
  if (some((link) => link.undecided && link.region === null))
    entries.push(["open undecided", "stands or falls with the regions"]);
  if (some((link) => link.by_hand && !isDropped(link))) entries.push(["directed by-hand", "decided by hand"]);
  if (some((link) => link.follows)) entries.push(["directed follows", "follows from that"]);
  if (some(isDropped)) entries.push(["open is-dropped", "dropped by hand"]);
  if (some((link) => onlyTests(link) && !isAside(link)))
    entries.push(["open is-only-tests", "only in what the tests found"]);
  if (some(isAbsent)) entries.push(["open is-absent", "not in the network"]);
  return entries;
}

// ---- one link

function choose(key) {
  chosen = chosen === key ? null : key;
  mistake = null;
  view.select(chosen);
  hideWeak();
  refill(side, details(store.current()));
  for (const row of below.querySelectorAll("tr[data-link]"))
    row.classList.toggle("chosen", row.dataset.link === chosen);
  const link = found.links.find((one) => pairKey(one.a, one.b) === chosen);
  if (link) announce(`${link.a} and ${link.b}. Choices are beside the picture.`);
}

function details(session) {
  const link = found.links.find((one) => pairKey(one.a, one.b) === chosen);
  if (!link) {
    return headed(
      "h2",
      "A link",
      el(
        "p",
        { class: "hint" },
        "Choose a link in the picture: click it, or go there with Tab, move along links with the arrow keys and press Enter.",
      ),
    );
  }
  const { a, b } = link;
  const keepable = link.region !== null && (link.undecided || link.by_hand);
  const arcs = session.decisions.directed;
  const byArc = arcs.some(([x, y]) => pairKey(x, y) === chosen);
  const turn = (from, to) =>
    button(`${from} → ${to}`, () => decide(directedAs(session, from, to)), {
      "data-key": `direct ${from} ${to}`,
      class: byArc && arcs.some(([x, y]) => x === from && y === to) ? "plain on" : "plain",
      "aria-pressed": String(byArc && arcs.some(([x, y]) => x === from && y === to)),
    });
  return el(
    "section",
    { class: "card link-card", "aria-label": "The link that is chosen" },
    el("h2", {}, link.directed ? `${a} → ${b}` : `${a} – ${b}`),
    el("p", { class: "facts" }, state(session, link)),
    facts(link),
    mistake && notice("error", mistake),
    keepable &&
      el(
        "div",
        { class: "decide" },
        el("h3", {}, "Is this link there?"),
        el(
          "p",
          { class: "row halves" },
          button("Keep it", () => decide(kept(session, link, "keep")), {
            "data-key": "keep",
            class: decided(session, "keep", link) ? "plain on" : "plain",
            "aria-pressed": String(decided(session, "keep", link)),
          }),
          button("Drop it", () => decide(kept(session, link, "drop")), {
            "data-key": "drop",
            class: decided(session, "drop", link) ? "plain on" : "plain",
            "aria-pressed": String(decided(session, "drop", link)),
          }),
        ),
        el(
          "p",
          { class: "hint" },
          found.to_dict.search === "npc"
            ? "What follows from it for the other links of the region is shown at once."
            : "The network gets or loses this link. What the tests make of the other links of the region is shown at once.",
        ),
      ),
    (link.undirected || byArc) &&
      el(
        "div",
        { class: "decide" },
        el("h3", {}, "Which way does it point?"),
        el("p", { class: "row" }, turn(...[a, b].sort()), turn(...[a, b].sort().reverse())),
        el("p", { class: "hint" }, "Directions that follow from it are drawn as well."),
      ),
    (byArc || decided(session, "keep", link) || decided(session, "drop", link)) &&
      el(
        "p",
        {},
        button("Take this decision back", () => decide(without(session, link)), { "data-key": "back" }),
      ),
  );
}

function state(session, link) {
  if (isDropped(link)) return "Dropped by hand.";
  const parts = [];
  if (decided(session, "keep", link)) parts.push("Kept by hand.");
  else if (inRegion(link))
    parts.push(`One of the links of region ${link.region + 1}: each can be absent only if others are there.`);
  else if (link.undecided) parts.push("Stands or falls with how the regions are resolved.");
  else if (link.follows && link.region !== null) parts.push(followed(link));
  if (isAbsent(link)) parts.push("It is not in the network.");
  else if (onlyTests(link)) parts.push("The tests ask for it; the network with the best score does without.");
  else if (!link.directed) parts.push("The data do not tell its direction.");
  else if (session.decisions.directed.some(([x, y]) => x === link.a && y === link.b)) parts.push("Directed by hand.");
  else if (link.follows) parts.push("Its direction follows from your decisions.");
  else parts.push("Its direction is known.");
  return parts.join(" ");
}

/** What becomes of a link of a region by decisions on others. */
function followed(link) {
  if (link.in_npc) return "By the tests it stays: that follows from your decisions.";
  if (link.in_network) return "After your decisions the tests can do without it; the network has it for its score.";
  return "It goes: that follows from your decisions.";
}

function facts(link) {
  const rows = [
    ["p-value", pValue(link.p_value), "of the test whether the two are independent"],
    [
      "Loss without it",
      link.gain === null || link.gain === undefined ? "–" : `${short(link.gain)} nats`,
      "what the score loses if it is removed, after the cost of a link: each nat makes the network 2.7 times less plausible",
    ],
    ["Support", percent(link.support), "in how many halves of the rows it is found"],
    ["… in this direction", percent(link.direction), ""],
    ["Probability", percent(link.probability), "over all networks"],
  ].filter(([name, value]) => value !== "–" || name === "p-value" || name === "Loss without it");
  return el(
    "dl",
    { class: "numbers" },
    rows.map(([name, value, hint]) =>
      el("div", {}, el("dt", {}, name), el("dd", {}, value), hint && el("dd", { class: "hint" }, hint)),
    ),
  );
}

// ---- decisions

const hasPair = (list, link) => list.some(([x, y]) => pairKey(x, y) === pairKey(link.a, link.b));
const decided = (session, kind, link) => hasPair(session.decisions[kind], link);

function without(session, link) {
  const rest = (list) => list.filter(([x, y]) => pairKey(x, y) !== pairKey(link.a, link.b));
  const { keep, drop, directed } = session.decisions;
  return { keep: rest(keep), drop: rest(drop), directed: rest(directed) };
}

function kept(session, link, kind) {
  const already = decided(session, kind, link);
  const rest = without(session, link);
  if (kind === "keep") rest.directed = session.decisions.directed;
  if (already) return rest;
  return { ...rest, [kind]: [...rest[kind], [link.a, link.b]] };
}

function directedAs(session, from, to) {
  const { keep, drop, directed } = session.decisions;
  const rest = directed.filter(([x, y]) => pairKey(x, y) !== pairKey(from, to));
  const same = directed.some(([x, y]) => x === from && y === to);
  return { keep, drop, directed: same ? rest : [...rest, [from, to]] };
}

async function decide(decisions) {
  mistake = null;
  const before = new Map(found.links.map((link) => [pairKey(link.a, link.b), link.directed]));
  try {
    await store.change(api.post("api/decisions", decisions));
    store.forget();
    await redraw();
    const now = found.links.filter((link) => link.follows && !before.get(pairKey(link.a, link.b)));
    announce(now.length ? `Follows: ${now.map((link) => `${link.a} to ${link.b}`).join(", ")}` : "Noted");
  } catch (error) {
    mistake = error.message;
    refill(side, details(store.current()));
  }
}

// ---- all links as a list

function list() {
  const rank = (link) => [isOpen(link) ? 0 : 1, link.in_network ? 0 : 1, link.region ?? 99, link.a, link.b];
  const links = [...found.links].sort((one, two) => {
    const [x, y] = [rank(one), rank(two)];
    for (let i = 0; i < x.length; i += 1) if (x[i] !== y[i]) return x[i] < y[i] ? -1 : 1;
    return 0;
  });
  const support = measured();
  const probability = found.links.some((link) => link.probability !== null && link.probability !== undefined);
  return el(
    "section",
    { class: "card list" },
    el("h2", {}, `All ${plural(links.length, "link")}`),
    el(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": "All links", "data-scroll": "links" },
      el(
        "table",
        { class: "links-table" },
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            el("th", { scope: "col" }, "Link"),
            el("th", { scope: "col" }, "State"),
            el("th", { scope: "col", class: "number" }, "p-value"),
            el("th", { scope: "col", class: "number" }, "Loss without it"),
            support && el("th", { scope: "col", class: "number" }, "Support"),
            probability && el("th", { scope: "col", class: "number" }, "Probability"),
          ),
        ),
        el(
          "tbody",
          {},
          links.map((link) => {
            const key = pairKey(link.a, link.b);
            return el(
              "tr",
              {
                "data-link": key,
                "data-support": support ? (supportOf(link) ?? 0) : null,
                class:
                  [key === chosen ? "chosen" : "", isDropped(link) || isAbsent(link) ? "off" : ""].join(" ").trim() ||
                  null,
              },
              el(
                "th",
                { scope: "row" },
                button(
                  link.directed ? `${link.a} → ${link.b}` : `${link.a} – ${link.b}`,
                  () => {
                    if (chosen !== key) choose(key);
                    side.querySelector("button")?.focus({ preventScroll: false });
                  },
                  { class: "link", "data-key": `list ${key}` },
                ),
              ),
              el("td", {}, word(link)),
              el("td", { class: "number" }, pValue(link.p_value)),
              el("td", { class: "number" }, short(link.gain)),
              support && el("td", { class: "number" }, percent(link.support)),
              probability && el("td", { class: "number" }, percent(link.probability)),
            );
          }),
        ),
      ),
    ),
  );
}

function word(link) {
  if (isDropped(link)) return "dropped by hand";
  if (link.by_hand) return "decided by hand";
  if (link.follows) return link.in_network && link.in_npc === false ? "for its score alone" : "follows from decisions";
  if (inRegion(link)) return `open, region ${link.region + 1}`;
  if (link.undecided) return "open, with the regions";
  if (isAbsent(link)) return "not in the network";
  if (onlyTests(link)) return "only in the tests";
  return link.directed ? "directed" : "direction open";
}
