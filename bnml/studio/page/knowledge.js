// Step 2: what is known before: what comes earlier and what later, arcs and links that must or must not be.

import * as api from "./api.js";
import * as store from "./store.js";
import { announce, button, choice, el, field, headed, notice, plural, refill, svg, takesDrops } from "./dom.js";

const KINDS = {
  required: { text: "leads to", verb: "leads to", hint: "The network must have this arc.", arc: true },
  forbidden: {
    text: "does not lead to",
    verb: "does not lead to",
    hint: "The network must not have this arc; the other direction stays possible.",
    arc: true,
  },
  required_links: {
    text: "is linked with",
    verb: "is linked with",
    hint: "They must be linked, in either direction.",
    arc: false,
  },
  forbidden_links: {
    text: "is not linked with",
    verb: "is not linked with",
    hint: "They must not be linked directly.",
    arc: false,
  },
};
const BOX = { width: 150, height: 34, gapX: 44, gapY: 40 };

const place = el("div");
let kind = "required";
let picked = { from: "", to: "", tierOf: "", tier: "0" };
let mistake = null;
let begun = null; // the variable from which an arc is being drawn by keys

export const knowledge = {
  name: "knowledge",
  title: "Knowledge",
  done: (session) => count(session.knowledge) > 0 && !session.knowledge.contradiction,
  element: () => place,
  update,
};

const isUsed = (known, name) => !Object.hasOwn(known.not_used, name);

/** Say why something about these variables is not used now; nothing where it is. */
const whyNotUsed = (known, names) =>
  names
    .filter((name) => !isUsed(known, name))
    .map((name) => `column ${name} ${known.not_used[name]}`)
    .join(", ");

const count = (known) =>
  (known.tiers ?? []).length + Object.keys(KINDS).reduce((sum, one) => sum + (known[one] ?? []).length, 0);
const redraw = () => update(store.current());

function update(session) {
  const names = store.variables();
  if (!session.table || !names.length) {
    refill(place, headed("h1", "What you know", el("p", {}, "First choose a table, in step 1.")));
    return;
  }
  const known = session.knowledge;
  if (!names.includes(picked.from)) picked.from = names[0];
  if (!names.includes(picked.to)) picked.to = names[1] ?? names[0];
  if (!names.includes(picked.tierOf)) picked.tierOf = names[0];
  refill(
    place,
    headed(
      "h1",
      "What you know",
      el(
        "p",
        { class: "lead" },
        "Say only what you are sure of: what comes before what, and which links must or must not be there. You may also say nothing and ",
        button("go on to learning", () => document.dispatchEvent(new CustomEvent("studio:go", { detail: "learn" })), {
          class: "link",
          "data-key": "go",
        }),
        ".",
      ),
      known.contradiction && notice("error", el("strong", {}, "This cannot all be true. "), known.contradiction),
      mistake && notice("error", mistake),
    ),
    tiers(known, names),
    links(known, names),
  );
}

async function save(changed) {
  mistake = null;
  try {
    await store.change(api.put("api/knowledge", { ...plain(store.current().knowledge), ...changed }));
  } catch (error) {
    mistake = error.message;
  }
  redraw();
}

const plain = ({ tiers: t, required, forbidden, required_links, forbidden_links }) => ({
  tiers: t,
  required,
  forbidden,
  required_links,
  forbidden_links,
});

// ---- earlier and later

function put(name, tier) {
  const old = store.current().knowledge.tiers ?? [];
  const now = old.map((names) => names.filter((one) => one !== name));
  if (tier === now.length) now.push([]);
  if (tier >= 0) now[tier].push(name);
  const filled = now.filter((names) => names.length);
  const at = filled.findIndex((names) => names.includes(name));
  announce(at >= 0 ? `${name} is in column ${at + 1}` : `${name} is in no column`);
  return save({ tiers: filled });
}

function tiers(known, names) {
  const given = (known.tiers ?? []).map((tier) => tier.filter((name) => names.includes(name)));
  const placed = new Set(given.flat());
  const free = names.filter((name) => !placed.has(name));
  const number = given.length;
  const notUsed = (known.tiers ?? []).flat().filter((name) => !isUsed(known, name));
  const titles = [
    ...given.map((_, i) => (i === 0 ? "Earliest" : `Then (${i + 1})`)),
    number ? "A later column" : "A first column",
  ];
  const column = (title, members, tier, extra) => {
    const box = el(
      "div",
      { class: `tier ${extra}`, role: "group", "aria-label": title },
      el("h3", {}, title),
      el(
        "div",
        { class: "chips" },
        members.map((name) => chip(name, tier, number)),
      ),
      !members.length && el("p", { class: "hint" }, tier < 0 ? "None left" : "Drop variables here"),
    );
    return takesDrops(box, (dropped) => {
      const name = dropped.getData("text/plain");
      if (names.includes(name)) put(name, tier);
    });
  };
  const choices = [["-1", "no column"], ...titles.map((title, i) => [String(i), title.toLowerCase()])];
  if (!choices.some(([value]) => value === picked.tier)) picked.tier = "0";
  return headed(
    "h2",
    "Earlier and later",
    el(
      "p",
      { class: "hint" },
      "Drag variables into columns, from what comes first to what comes last. Nothing can be caused by what stands further right. ",
      "With the keyboard: the left and right arrow keys move the variable that has the focus.",
    ),
    el(
      "div",
      { class: "tiers", "data-scroll": "tiers" },
      column("Not said", free, -1, "free"),
      given.map((members, i) => column(titles[i], members, i, "")),
      column(titles[number], [], number, "next"),
    ),
    notUsed.length > 0 &&
      el("p", { class: "hint not-used" }, `Not used now: ${whyNotUsed(known, notUsed)}. It keeps its place here.`),
    el(
      "div",
      { class: "fields compact" },
      field(
        "Variable",
        choice(names, picked.tierOf, {
          "data-key": "tier-of",
          onchange: (event) => (picked.tierOf = event.target.value),
        }),
      ),
      field(
        "goes into",
        choice(choices, picked.tier, { "data-key": "tier", onchange: (event) => (picked.tier = event.target.value) }),
      ),
      button("Put it there", () => put(picked.tierOf, Number(picked.tier)), { "data-key": "put" }),
      number > 0 && button("Clear all columns", () => save({ tiers: [] }), { "data-key": "clear" }),
    ),
  );
}

function chip(name, tier, number) {
  const one = el(
    "button",
    {
      type: "button",
      class: "chip",
      draggable: "true",
      "data-key": `chip ${name}`,
      title: "Drag, or move with the arrow keys",
    },
    name,
  );
  one.addEventListener("dragstart", (event) => {
    event.dataTransfer.setData("text/plain", name);
    event.dataTransfer.effectAllowed = "move";
  });
  one.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const to = tier + by;
    if (to >= -1 && to <= number) put(name, to);
  });
  return one;
}

// ---- arcs and links

function all(known) {
  return Object.keys(KINDS).flatMap((one) => (known[one] ?? []).map(([a, b]) => ({ kind: one, a, b })));
}

function add(from, to) {
  if (from === to) {
    mistake = "An arc needs two different variables.";
    redraw();
    return;
  }
  const known = store.current().knowledge;
  const same = (one) => (one[0] === from && one[1] === to) || (!KINDS[kind].arc && one[0] === to && one[1] === from);
  const list = known[kind] ?? [];
  if (list.some(same)) return;
  announce(`${from} ${KINDS[kind].verb} ${to}`);
  save({ [kind]: [...list, [from, to]] });
}

function take(entry) {
  const list = store.current().knowledge[entry.kind].filter(([a, b]) => a !== entry.a || b !== entry.b);
  save({ [entry.kind]: list });
}

function links(known, names) {
  const said = all(known);
  return headed(
    "h2",
    "Links that you know of",
    el(
      "div",
      { class: "fields compact" },
      field(
        "Variable",
        choice(names, picked.from, { "data-key": "from", onchange: (event) => (picked.from = event.target.value) }),
      ),
      field(
        "Relation",
        choice(
          Object.entries(KINDS).map(([value, one]) => [value, one.text]),
          kind,
          {
            "data-key": "kind",
            onchange: (event) => {
              kind = event.target.value;
              redraw();
            },
          },
        ),
      ),
      field(
        "Other variable",
        choice(names, picked.to, { "data-key": "to", onchange: (event) => (picked.to = event.target.value) }),
      ),
      button("Add", () => add(picked.from, picked.to), { class: "primary", "data-key": "add" }),
    ),
    el(
      "p",
      { class: "hint" },
      `${KINDS[kind].hint} Or draw it: pull a line from one variable to another in the picture.`,
    ),
    el(
      "div",
      { class: "two wide-left" },
      canvas(known, names, said),
      el(
        "div",
        {},
        el("h3", {}, said.length ? plural(said.length, "statement") : "Nothing said yet"),
        el(
          "ul",
          { class: "said", "data-scroll": "said" },
          said.map((entry) => {
            const why = whyNotUsed(known, [entry.a, entry.b]);
            return el(
              "li",
              { class: `${entry.kind}${why ? " not-used" : ""}` },
              el(
                "span",
                {},
                el("b", { class: isUsed(known, entry.a) ? null : "off" }, entry.a),
                ` ${KINDS[entry.kind].verb} `,
                el("b", { class: isUsed(known, entry.b) ? null : "off" }, entry.b),
                why && el("span", { class: "hint" }, `Not used now: ${why}`),
              ),
              button("Remove", () => take(entry), {
                class: "plain small",
                "data-key": `take ${entry.kind} ${entry.a} ${entry.b}`,
                "aria-label": `Remove: ${entry.a} ${KINDS[entry.kind].verb} ${entry.b}`,
              }),
            );
          }),
        ),
      ),
    ),
  );
}

/** Where the variables stand: those of a column below each other; without columns, in a square. */
function places(known, names) {
  const given = (known.tiers ?? [])
    .map((tier) => tier.filter((name) => names.includes(name)))
    .filter((tier) => tier.length);
  const placed = new Set(given.flat());
  const free = names.filter((name) => !placed.has(name));
  const columns = [...given];
  if (free.length) {
    const room = Math.max(1, 5 - given.length);
    const high = Math.max(...given.map((tier) => tier.length), Math.ceil(free.length / room), 3);
    for (let i = 0; i < free.length; i += high) columns.push(free.slice(i, i + high));
  }
  const at = new Map();
  for (const [i, column] of columns.entries()) {
    for (const [j, name] of column.entries()) {
      at.set(name, [
        i * (BOX.width + BOX.gapX) + BOX.width / 2,
        j * (BOX.height + BOX.gapY) + BOX.height / 2 + (i % 2 ? 18 : 0),
      ]);
    }
  }
  return at;
}

function canvas(known, names, said) {
  const at = places(known, names);
  const width = Math.max(...[...at.values()].map(([x]) => x)) + BOX.width / 2;
  const height = Math.max(...[...at.values()].map(([, y]) => y)) + BOX.height / 2;
  const lines = said.filter((entry) => at.has(entry.a) && at.has(entry.b)).map((entry) => arrow(entry, at));
  const rubber = svg("line", { class: "rubber" });
  const boxes = names.map((name, i) => {
    const [x, y] = at.get(name);
    const text = svg("text", { x, y: y + 5 }, name.length > 17 ? `${name.slice(0, 16)}…` : name);
    return svg(
      "g",
      {
        class: `node${begun === name ? " begun" : ""}`,
        role: "button",
        tabindex: (begun ? begun === name : i === 0) ? "0" : "-1",
        "data-key": `node ${name}`,
        "data-name": name,
        "aria-label": begun === name ? `${name}: choose where the line ends` : name,
      },
      svg("title", {}, name),
      svg("rect", { x: x - BOX.width / 2, y: y - BOX.height / 2, width: BOX.width, height: BOX.height, rx: 8 }),
      text,
    );
  });
  const sheet = svg(
    "svg",
    {
      class: "graph sketch",
      viewBox: `-12 -12 ${width + 24} ${height + 24}`,
      role: "group",
      "aria-label": "Picture of what you know; Enter starts a line at a variable, arrow keys move, Enter ends it",
    },
    svg("g", { class: "links" }, lines),
    rubber,
    svg("g", { class: "nodes" }, boxes),
  );
  sheet.style.minWidth = `${Math.min(width, 560)}px`;
  sheet.style.maxWidth = `${Math.max(width * 1.15, 320)}px`;
  let from = null;
  const nameAt = (event) =>
    document.elementFromPoint(event.clientX, event.clientY)?.closest?.(".sketch .node")?.dataset.name;
  sheet.addEventListener("pointerdown", (event) => {
    const name = nameAt(event);
    if (!name || event.button !== 0) return;
    event.preventDefault();
    from = name;
    sheet.setPointerCapture(event.pointerId);
  });
  sheet.addEventListener("pointermove", (event) => {
    if (!from) return;
    const spot = new DOMPoint(event.clientX, event.clientY).matrixTransform(sheet.getScreenCTM().inverse());
    const [x, y] = at.get(from);
    for (const [attribute, value] of Object.entries({ x1: x, y1: y, x2: spot.x, y2: spot.y }))
      rubber.setAttribute(attribute, value);
    rubber.classList.add("on");
  });
  sheet.addEventListener("pointerup", (event) => {
    const to = nameAt(event);
    const start = from;
    from = null;
    rubber.classList.remove("on");
    if (start && to && to !== start) add(start, to);
  });
  sheet.addEventListener("keydown", (event) => {
    const group = event.target.closest(".node");
    if (!group) return;
    const name = group.dataset.name;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      if (begun && begun !== name) {
        const start = begun;
        begun = null;
        add(start, name);
      } else {
        begun = begun ? null : name;
        announce(begun ? `From ${begun}: move to another variable and press Enter` : "Stopped");
        group.classList.toggle("begun", begun === name);
      }
    } else if (event.key === "Escape") {
      begun = null;
      redraw();
    } else if (event.key.startsWith("Arrow")) {
      event.preventDefault();
      const next = nearest(name, event.key, at);
      if (next) {
        group.setAttribute("tabindex", "-1");
        const to = boxes.find((one) => one.dataset.name === next);
        to.setAttribute("tabindex", "0");
        to.focus();
      }
    }
  });
  return el("div", { class: "sketch-frame", "data-scroll": "sketch" }, sheet);
}

/** The variable that comes next in a direction. */
function nearest(name, key, at) {
  const [x, y] = at.get(name);
  const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
  let best = null;
  for (const [other, [ox, oy]] of at) {
    const along = (ox - x) * dx + (oy - y) * dy;
    if (along <= 1) continue;
    const aside = Math.abs((ox - x) * dy) + Math.abs((oy - y) * dx);
    const cost = along + 3 * aside;
    if (!best || cost < best.cost) best = { other, cost };
  }
  return best?.other;
}

function arrow(entry, at) {
  const [from, to] = [at.get(entry.a), at.get(entry.b)];
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const far = Math.hypot(dx, dy) || 1;
  const inside = (half) =>
    Math.min(BOX.width / 2 / Math.abs(dx || 1e-9), BOX.height / 2 / Math.abs(dy || 1e-9)) + half / far;
  const [start, end] = [inside(2), 1 - inside(4)];
  const point = (share) => [from[0] + share * dx, from[1] + share * dy];
  const [p, q] = [point(start), point(end)];
  const [ux, uy] = [dx / far, dy / far];
  const arc = KINDS[entry.kind].arc;
  const tip = arc ? [q[0] - 9 * ux, q[1] - 9 * uy] : q;
  const middle = point((start + end) / 2);
  const cross = entry.kind.startsWith("forbidden");
  return svg(
    "g",
    { class: `link ${entry.kind}`, role: "img", "aria-label": `${entry.a} ${KINDS[entry.kind].verb} ${entry.b}` },
    svg("line", { class: "line", x1: p[0], y1: p[1], x2: tip[0], y2: tip[1] }),
    arc &&
      svg("polygon", {
        class: "head",
        points: `${q} ${q[0] - 11 * ux - 5 * uy},${q[1] - 11 * uy + 5 * ux} ${q[0] - 11 * ux + 5 * uy},${q[1] - 11 * uy - 5 * ux}`,
      }),
    cross &&
      svg("path", {
        class: "cross",
        d: `M${middle[0] - 6} ${middle[1] - 6}l12 12M${middle[0] + 6} ${middle[1] - 6}l-12 12`,
      }),
  );
}
