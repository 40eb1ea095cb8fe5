// Step 5: ask the network. Say what is observed, or set by hand, and all other bars follow.

import * as api from "./api.js";
import * as store from "./store.js";
import { announce, button, el, field, headed, notice, percent, plural, refill } from "./dom.js";

const place = el("div");
const top = el("div");
const cards = el("div", { class: "bars", "data-scroll": "bars" });
const bottom = el("div");
place.append(top, cards, bottom);

let shown = new Map(); // name → { card, rows: [{ button, fill, mark, range, value }] }
let answer = null;
let answeredFor = null; // the network and the question of the answer
let said = { evidence: {}, do: {} }; // what is observed and set, also before the server knows
let setting = false; // whether a click sets rather than observes
let filter = "";
let mistake = null;
let waiting = null;
let before = null; // the answer without evidence, and the network that it is of
let conditional = null;
let explanation = null;

export const ask = {
  name: "ask",
  title: "Ask",
  done: (session) => Object.keys(session.evidence).length + Object.keys(session.do).length > 0,
  element: () => place,
  update,
};

function update(session) {
  if (!session.current) {
    refill(top, headed("h1", "Ask the network", el("p", {}, "First learn a network, in step 3.")));
    cards.replaceChildren();
    bottom.replaceChildren();
    shown = new Map();
    answeredFor = null;
    return;
  }
  if (waiting) return; // what is being asked comes back with its answer
  said = { evidence: session.evidence, do: session.do };
  if (answeredFor === question(session)) draw(session);
  else pose();
}

const network = (session) => JSON.stringify([session.current, session.decisions]);
const question = (session) => JSON.stringify([network(session), said]);

/** Ask the server what follows from what is said; while an answer is awaited, only the last question is kept. */
async function pose() {
  if (waiting) {
    waiting.again = true;
    return;
  }
  waiting = { again: false };
  const session = store.current();
  const asked = question(session);
  const nothing = !Object.keys(said.evidence).length && !Object.keys(said.do).length;
  try {
    answer = await api.post("api/ask", said);
    if (nothing) before = { of: network(session), marginals: answer.marginals };
    else if (before?.of !== network(session))
      before = { of: network(session), marginals: (await api.get("api/prior")).marginals };
    answeredFor = asked;
    mistake = null;
    explanation = null;
  } catch (error) {
    mistake = error.message;
    said = { evidence: session.evidence, do: session.do };
  }
  const { again } = waiting;
  waiting = null;
  if (again && !mistake) pose();
  else draw(session);
}

function toggle(name, state, byHand) {
  const now = { evidence: { ...said.evidence }, do: { ...said.do } };
  const [into, outOf] = byHand ? [now.do, now.evidence] : [now.evidence, now.do];
  const was = into[name] === state;
  delete outOf[name];
  if (was) delete into[name];
  else into[name] = state;
  said = now;
  announce(was ? `${name} is free again` : `${name} ${byHand ? "is set to" : "is"} ${state}`);
  pose();
}

function clear() {
  said = { evidence: {}, do: {} };
  announce("All is taken back");
  pose();
}

// ---- the parts

function draw(session) {
  refill(top, heading());
  if (answer) drawBars(session);
  refill(bottom, conditionalTable(), mostProbable());
}

function heading() {
  const chips = [
    ...Object.entries(said.evidence).map(([name, state]) => [name, state, false]),
    ...Object.entries(said.do).map(([name, state]) => [name, state, true]),
  ];
  return headed(
    "h1",
    "Ask the network",
    el("p", { class: "lead" }, "Click a bar to say what is observed. All other bars show what is to be expected then."),
    mistake && notice("error", mistake),
    el(
      "div",
      { class: "said-bar" },
      chips.length
        ? chips.map(([name, state, byHand]) =>
            button(
              [
                el("b", {}, name),
                byHand ? " set to " : " is ",
                el("b", {}, String(state)),
                el("span", { "aria-hidden": "true" }, " ×"),
              ],
              () => toggle(name, state, byHand),
              {
                class: `chip ${byHand ? "do" : "seen"}`,
                "data-key": `said ${name}`,
                "aria-label": `Take back: ${name} ${byHand ? "set to" : "is"} ${state}`,
              },
            ),
          )
        : el("span", { class: "hint" }, "Nothing said yet: the bars show how common each value is."),
      chips.length > 1 && button("Take all back", () => clear(), { class: "plain small", "data-key": "none" }),
    ),
    answer &&
      Object.keys(said.evidence).length > 0 &&
      el(
        "p",
        { class: "facts" },
        `What you observed happens in ${percent(answer.probability, 2)} of the cases${Object.keys(said.do).length ? ", given what you set" : ""}.`,
      ),
    answer?.hangs_on?.length > 0 && hanging(),
    el(
      "div",
      { class: "asking" },
      field(
        "Find a variable",
        el("input", {
          type: "search",
          value: filter,
          "data-key": "filter",
          oninput: (event) => narrow(event.target.value),
        }),
      ),
      el(
        "div",
        { class: "field" },
        el("span", { class: "label", id: "set-label" }, "A click"),
        el(
          "button",
          {
            type: "button",
            role: "switch",
            class: "switch",
            "aria-checked": String(setting),
            "aria-labelledby": "set-label set-text",
            "aria-describedby": "set-hint",
            "data-key": "set",
            onclick: () => {
              setting = !setting;
              place.classList.toggle("setting", setting);
              draw(store.current());
            },
          },
          el("span", { class: "knob", "aria-hidden": "true" }),
          el("span", { id: "set-text" }, setting ? "sets a value by hand" : "says what is observed"),
        ),
      ),
      el(
        "div",
        { class: "field" },
        el("span", { class: "label" }, "All together"),
        button("Most probable explanation", explain, { "data-key": "mpe" }),
      ),
    ),
    el(
      "p",
      { class: "hint", id: "set-hint" },
      "Setting asks “what if we made it so?”: causes of what is set do not change. Shift and click does the same. " +
        "The answer follows the arrows of the network; you are told where it hangs on one whose direction is open.",
    ),
  );
}

/** Say which directions the answer takes from the network that the data leave open. */
function hanging() {
  const arcs = answer.hangs_on.map(([a, b]) => `${a} → ${b}`);
  const one = arcs.length === 1;
  const named = one ? arcs[0] : `${arcs.slice(0, -1).join(", ")} and ${arcs.at(-1)}`;
  const turned = one ? "If it were the other way round" : "If one of them were the other way round";
  const far = !answer.range
    ? "the answer could be another one. By how much is not shown: there are too many ways to direct them."
    : moves()
      ? "the answer could be another one: the thin brackets show between what the bars would be."
      : "the answer would be the same, as far as can be seen here.";
  return el(
    "div",
    { class: "notice warning hanging", role: "status" },
    el(
      "p",
      {},
      `This answer takes ${named} as the network has ${one ? "it" : "them"}; the data leave ${one ? "that direction" : "these directions"} open. ${turned}, ${far}`,
    ),
    el(
      "p",
      { class: "row" },
      button("Decide it", () => decide(answer.hangs_on[0]), {
        class: "plain small",
        "data-key": "decide",
        "aria-label": "Decide it, in step 4",
      }),
    ),
  );
}

/** Go to step 4, where a link is chosen. */
function decide([a, b]) {
  document.dispatchEvent(new CustomEvent("studio:choose", { detail: [a, b] }));
  document.dispatchEvent(new CustomEvent("studio:go", { detail: "resolve" }));
}

const SEEN = 0.005; // a difference of two shares that can be seen in a bar

/** Between what the probability of a state is, over all ways to direct what is open; null where it is the same. */
function rangeOf(name, i) {
  const bounds = answer.range?.[name];
  return bounds && bounds.high[i] - bounds.low[i] >= SEEN ? [bounds.low[i], bounds.high[i]] : null;
}

const moves = () => Object.entries(answer.range).some(([name, { low }]) => low.some((_, i) => rangeOf(name, i)));

function drawBars(session) {
  const names = store.variables().filter((name) => answer.marginals[name]);
  for (const name of Object.keys(answer.marginals)) if (!names.includes(name)) names.push(name);
  const same =
    names.length === shown.size &&
    names.every((name) => shown.get(name)?.states === JSON.stringify(answer.marginals[name].states));
  if (!same) {
    shown = new Map(names.map((name) => [name, card(name)]));
    refill(
      cards,
      [...shown.values()].map((one) => one.card),
    );
    narrow(filter);
  }
  for (const [name, one] of shown) {
    const { states, probabilities } = answer.marginals[name];
    const prior = before?.of === network(session) ? before.marginals[name]?.probabilities : undefined;
    const fixed = said.evidence[name] ?? said.do[name];
    one.card.classList.toggle("seen", name in said.evidence);
    one.card.classList.toggle("do", name in said.do);
    states.forEach((state, i) => {
      const row = one.rows[i];
      const p = probabilities[i];
      const range = rangeOf(name, i);
      const between = range
        ? `, between ${percent(range[0], 1)} and ${percent(range[1], 1)} depending on directions that are open`
        : "";
      row.fill.style.transform = `scaleX(${p})`;
      row.value.textContent = percent(p, 1);
      const pressed = fixed !== undefined && String(fixed) === String(state);
      row.button.setAttribute("aria-pressed", String(pressed));
      row.button.setAttribute(
        "aria-label",
        `${name} is ${state}: ${percent(p, 1)}${pressed ? (name in said.do ? ", set by hand" : ", observed") : ""}${between}`,
      );
      row.button.title = between && `${percent(p, 1)}${between}`;
      row.range.hidden = !range;
      if (range) {
        row.range.style.left = `${100 * range[0]}%`;
        row.range.style.width = `${100 * (range[1] - range[0])}%`;
      }
      row.mark.hidden = prior === undefined || Math.abs(prior[i] - p) < SEEN;
      if (prior !== undefined) row.mark.style.left = `${100 * prior[i]}%`;
    });
  }
}

function card(name) {
  const { states } = answer.marginals[name];
  const rows = states.map((state, i) => {
    const fill = el("span", { class: "fill" });
    const mark = el("span", { class: "mark", hidden: true });
    const range = el("span", { class: "range", hidden: true });
    const value = el("span", { class: "number" });
    const one = el(
      "button",
      {
        type: "button",
        class: "bar-row",
        "data-key": `bar ${name} ${i}`,
        tabindex: i === 0 ? "0" : "-1",
        onclick: (event) => toggle(name, state, setting || event.shiftKey),
        onkeydown: (event) => along(event, rows),
      },
      el("span", { class: "name", title: String(state) }, String(state)),
      el("span", { class: "track" }, fill, mark, range),
      value,
    );
    return { button: one, fill, mark, range, value };
  });
  const box = el(
    "section",
    { class: "bar-card", "data-name": name },
    el(
      "header",
      {},
      el("h2", {}, name),
      button("Table", () => showTable(name), {
        class: "link small",
        "data-key": `table ${name}`,
        "aria-label": `Conditional table of ${name}`,
      }),
    ),
    el(
      "div",
      { role: "group", "aria-label": name },
      rows.map((row) => row.button),
    ),
  );
  return { card: box, rows, states: JSON.stringify(states) };
}

function along(event, rows) {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!by) return;
  event.preventDefault();
  const at = rows.findIndex((row) => row.button === event.currentTarget);
  const to = rows[(at + by + rows.length) % rows.length].button;
  for (const row of rows) row.button.tabIndex = row.button === to ? 0 : -1;
  to.focus();
}

function narrow(text) {
  filter = text;
  const wanted = text.trim().toLowerCase();
  for (const [name, one] of shown) one.card.hidden = wanted !== "" && !name.toLowerCase().includes(wanted);
}

// ---- conditional tables

async function showTable(name) {
  try {
    conditional = { name, ...(await api.get(`api/cpt/${encodeURIComponent(name)}`)) };
  } catch (error) {
    conditional = { name, error: error.message };
  }
  drawAndShow(".conditional");
}

/** Draw, and lead to what was asked for below the bars. */
function drawAndShow(selector) {
  draw(store.current());
  const section = bottom.querySelector(selector);
  section?.scrollIntoView({ block: "nearest" });
  section?.focus({ preventScroll: true });
}

function conditionalTable() {
  if (!conditional) return null;
  const { name, parents, states, rows, error } = conditional;
  const close = button(
    "Close",
    () => {
      conditional = null;
      draw(store.current());
      shown.get(name)?.card.querySelector("header button")?.focus();
    },
    { class: "plain small", "data-key": "close-table" },
  );
  if (error) return el("section", { class: "card conditional", tabindex: "-1" }, notice("error", error), close);
  return el(
    "section",
    { class: "card conditional", tabindex: "-1", "aria-label": `Conditional table of ${name}` },
    el(
      "div",
      { class: "headline" },
      el("h2", {}, parents.length ? `${name}, given ${parents.join(" and ")}` : name),
      close,
    ),
    el(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": "Probabilities" },
      el(
        "table",
        { class: "cpt" },
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            parents.map((parent) => el("th", { scope: "col" }, parent)),
            states.map((state) => el("th", { scope: "col", class: "number" }, String(state))),
          ),
        ),
        el(
          "tbody",
          {},
          rows.map((row) =>
            el(
              "tr",
              {},
              row.given.map((value) => el("td", {}, String(value))),
              row.probabilities.map((p) => {
                const cell = el("td", { class: "number heat" }, percent(p, 1));
                cell.style.setProperty("--p", p);
                return cell;
              }),
            ),
          ),
        ),
      ),
    ),
  );
}

// ---- the most probable explanation

async function explain() {
  try {
    explanation = await api.post("api/most-probable", said);
  } catch (error) {
    explanation = { error: error.message };
  }
  drawAndShow(".explanation");
}

function mostProbable() {
  if (!explanation) return null;
  const close = button(
    "Close",
    () => {
      explanation = null;
      draw(store.current());
      top.querySelector('[data-key="mpe"]')?.focus();
    },
    { class: "plain small", "data-key": "close-mpe" },
  );
  if (explanation.error)
    return el("section", { class: "card explanation", tabindex: "-1" }, notice("error", explanation.error), close);
  const entries = Object.entries(explanation.row);
  return el(
    "section",
    { class: "card explanation", tabindex: "-1", "aria-label": "Most probable explanation" },
    el("div", { class: "headline" }, el("h2", {}, "Most probable explanation"), close),
    el(
      "p",
      { class: "hint" },
      `Of all ways in which the ${plural(entries.length, "variable")} can go together with what you said, this one is the most probable. It is one case, not what is most probable for each variable alone.`,
    ),
    el(
      "ul",
      { class: "explanation-list" },
      entries.map(([name, value]) =>
        el(
          "li",
          { class: name in said.evidence || name in said.do ? "given" : null },
          el("span", {}, name),
          el("b", {}, String(value)),
        ),
      ),
    ),
  );
}
