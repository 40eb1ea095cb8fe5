// Step 3: learn networks, see what is proven of them, and compare two.

import * as api from "./api.js";
import * as store from "./store.js";
import { GraphView, legend } from "./graph.js";
import {
  NATS,
  announce,
  button,
  choice,
  el,
  field,
  headed,
  notice,
  plural,
  question,
  refill,
  seconds,
  short,
} from "./dom.js";

const SCORES = {
  qnml: "Needs no tuning. The one to take unless you have a reason for another.",
  bdeu: "The classical Bayesian score; depends on the weight that its prior has.",
  bic: "Cautious: few links, only those with much evidence.",
  fnml: "Close to qNML; depends on the direction of links.",
  mdl: "The shortest description of table and network; close to BIC.",
  aic: "Generous: more links, meant for predictions.",
  hqc: "Between AIC and BIC.",
  bds: "BDeu for tables in which many combinations do not occur.",
  bdq: "A quotient of two Bayesian scores; the same for all directions that data cannot tell apart.",
  k2: "A Bayesian score with the flat prior.",
  bdj: "A Bayesian score with Jeffreys' prior.",
  bd: "A Bayesian score with a prior of your choice.",
  loglik: "Never prefers the simpler network: only for comparisons.",
};
const SEARCHES = {
  auto: "The best network with proof where that is quick, else a thorough search.",
  exact: "The best network of all, with proof. Takes long with many variables.",
  ges: "Steps between classes of networks; for many variables.",
  tabu: "Climbs, and goes on past the first summit; for many variables.",
  climb: "Adds, removes and turns arcs as long as it helps; quick.",
  order: "Looks for the best order of the variables; thorough.",
  "chow-liu": "The best tree: every variable has at most one cause.",
  forest: "Trees, with links only where they pay.",
  polytree: "No two ways from one variable to another.",
  tan: "For predicting one column, chosen in step 1.",
  naive: "For predicting one column, chosen in step 1, from all others at once.",
  npc: "No score: links that tests ask for. What they leave open you decide in step 4.",
  pc: "No score: links that tests ask for, one way of deciding each.",
};
const PRIORS = {
  sparse: {
    title: "Sparse",
    hint: "Expects one parent per variable, so that chance links stay out of wide tables.",
  },
  uniform: { title: "Uniform", hint: "All networks are equally likely beforehand; wide tables get chance links." },
};

const place = el("div");
const view = new GraphView({ label: "The network" });
const pair = [new GraphView({ label: "First network" }), new GraphView({ label: "Second network" })];
const stage = el("section", { class: "card picture" });
const controls = el("div");
const shelf = el("div");
let forecast = null;
let mistakes = {};
let showing = null;
let doomed = null; // the result of which it is asked whether it shall be deleted

place.append(el("div", { class: "two narrow-left" }, el("div", {}, controls, shelf), stage));

export const learn = {
  name: "learn",
  title: "Learn",
  done: (session) => session.results.some((one) => !one.stale),
  element: () => place,
  update,
};

let toFocus = null; // what is to have the focus once it is drawn
const redraw = () => update(store.current());

async function update(session) {
  if (!session.table?.readable) {
    refill(controls, headed("h1", "Learn a network", el("p", {}, "First make the table ready, in step 1.")));
    refill(shelf);
    stage.hidden = true;
    return;
  }
  const choices = await store.named().catch(() => ({ scores: [], searches: ["auto"], search_titles: {} }));
  refill(controls, form(session, choices));
  refill(shelf, results(session));
  shelf.querySelector(`[data-key="${CSS.escape(toFocus ?? "")}"]`)?.focus();
  toFocus = null;
  askForecast(session);
  await draw(session);
}

// ---- what to learn

function form(session, choices) {
  const { settings, knowledge, job } = session;
  const titles = (hints, names, called, own) => {
    const known = Object.keys(hints).filter((name) => names.includes(name));
    return [...new Set([...known, own])].map((name) => [name, called[name] ?? name]);
  };
  const scoreNames = choices.scores.map((one) => one.name);
  const scoreTitles = Object.fromEntries(choices.scores.map((one) => [one.name, one.title]));
  return headed(
    "h1",
    "Learn a network",
    knowledge.contradiction &&
      notice("error", el("strong", {}, "What you know contradicts itself. "), knowledge.contradiction),
    field(
      "What makes a network good",
      choice(titles(SCORES, scoreNames, scoreTitles, settings.score), settings.score, {
        "data-key": "score",
        onchange: (event) => set({ score: event.target.value }),
      }),
      { hint: SCORES[settings.score] ?? "A score of your own.", error: mistakes.score },
    ),
    field(
      "How to look for it",
      choice(titles(SEARCHES, choices.searches, choices.search_titles, settings.search), settings.search, {
        "data-key": "search",
        onchange: (event) => set({ search: event.target.value }),
      }),
      { hint: SEARCHES[settings.search] ?? "", error: mistakes.search },
    ),
    el(
      "details",
      { class: "more", "data-open": "more" },
      el("summary", {}, "More settings"),
      field(
        "Most causes of one variable",
        number(settings.max_parents, "max_parents", { min: 0, step: 1, placeholder: "no limit" }),
        {
          hint: "Leave it empty for no limit.",
          error: mistakes.max_parents,
        },
      ),
      field(
        "Rows per cell, at least",
        number(settings.rows_per_cell, "rows_per_cell", { min: 0, step: 1, placeholder: "5" }),
        {
          hint: "Links that would spread the rows too thinly are left out.",
          error: mistakes.rows_per_cell,
        },
      ),
      field(
        "Structure prior",
        choice(Object.entries(PRIORS).map(([name, one]) => [name, one.title]), settings.prior, {
          "data-key": "prior",
          onchange: (event) => set({ prior: event.target.value }),
        }),
        { hint: PRIORS[settings.prior]?.hint ?? "", error: mistakes.prior },
      ),
      field(
        "Halves of the rows",
        number(settings.repetitions, "repetitions", { min: 1, max: 10000, step: 1, placeholder: "100" }),
        {
          hint: "How many are drawn to measure support, in step 4; at most 10,000.",
          error: mistakes.repetitions,
        },
      ),
      field(
        "Level of the tests",
        number(settings.alpha, "alpha", { min: 0.000001, max: 0.5, step: "any", placeholder: "0.05" }),
        {
          hint: "Used when open questions are looked for, in step 4: smaller means fewer links.",
          error: mistakes.alpha,
        },
      ),
    ),
    el("p", { class: "forecast hint", id: "forecast", "aria-live": "polite" }, forecast?.text ?? ""),
    mistakes.learn && el("p", { class: "mistake", role: "alert" }, mistakes.learn),
    el(
      "p",
      { class: "row" },
      button("Learn", start, { class: "primary", "data-key": "learn", disabled: Boolean(job) }),
    ),
  );
}

function number(value, name, properties) {
  return el("input", {
    type: "number",
    value: value ?? "",
    "data-key": name,
    ...properties,
    onchange: (event) => set({ [name]: event.target.value === "" ? null : Number(event.target.value) }),
  });
}

async function set(changed) {
  mistakes = {};
  try {
    await store.change(api.put("api/settings", { ...store.current().settings, ...changed }));
  } catch (error) {
    mistakes[error.argument ?? Object.keys(changed)[0]] = error.message;
  }
  redraw();
}

async function askForecast(session) {
  if (session.job) return;
  const key = JSON.stringify([
    session.settings,
    session.knowledge,
    session.table.columns.map((column) => column.used),
    session.table.rows,
  ]);
  if (forecast?.key === key) return;
  forecast = { key, text: "" };
  try {
    const told = await api.get("api/forecast");
    if (forecast.key === key) forecast.text = told.text;
  } catch (error) {
    if (forecast.key === key) forecast.text = error.message;
  }
  const line = document.getElementById("forecast");
  if (line) line.textContent = forecast.text;
}

async function start() {
  mistakes = {};
  try {
    await store.change(api.post("api/jobs", { kind: "learn" }));
  } catch (error) {
    mistakes.learn = error.message;
  }
  redraw();
}

document.addEventListener("studio:stopped", (event) => {
  if (event.detail.kind !== "learn" || event.detail.cancelled || !place.isConnected) return;
  event.preventDefault();
  mistakes = { learn: event.detail.error };
  redraw();
});

// ---- what was learned

function results(session) {
  if (!session.results.length) return null;
  return headed(
    "h2",
    plural(session.results.length, "result"),
    session.results.some((one) => one.score !== null && one.score !== undefined) && el("p", { class: "hint" }, NATS),
    el(
      "ul",
      { class: "results" },
      [...session.results].reverse().map((one) => {
        const isCurrent = one.id === session.current;
        const isCompared = one.id === session.compared;
        return el(
          "li",
          { class: `result${isCurrent ? " current" : ""}${isCompared ? " compared" : ""}` },
          el(
            "h3",
            {},
            one.title,
            isCurrent && el("span", { class: "tag" }, "shown"),
            isCompared && el("span", { class: "tag other" }, "compared"),
          ),
          el("p", { class: "facts" }, facts(one)),
          one.proof && el("p", { class: one.optimal ? "proof proven" : "proof" }, one.proof),
          one.stale && notice("warning", "Table or knowledge have changed since. Learn again to take that in."),
          doomed === one.id && sure(one),
          el(
            "p",
            { class: "row" },
            !isCurrent &&
              button("Show", () => choose(one.id, null), {
                class: "plain small",
                "data-key": `show ${one.id}`,
                "aria-label": `Show ${one.title}`,
              }),
            !isCurrent &&
              session.current &&
              (isCompared
                ? button("Stop comparing", () => choose(session.current, null), {
                    class: "plain small",
                    "data-key": `compare ${one.id}`,
                  })
                : button("Compare", () => choose(session.current, one.id), {
                    class: "plain small",
                    "data-key": `compare ${one.id}`,
                    "aria-label": `Compare ${one.title} with the one shown`,
                  })),
            doomed !== one.id &&
              button("Delete", () => doom(one.id), {
                class: "plain small",
                "data-key": `delete ${one.id}`,
                "aria-label": `Delete ${one.title}`,
              }),
          ),
        );
      }),
    ),
  );
}

/** Ask before a result is deleted, which cannot be undone. */
function sure(one) {
  return question(
    `Delete ${one.title}?`,
    "Delete this result, and what you decided by hand in it? It cannot be brought back.",
    button("Delete it", () => drop(one.id), { class: "plain small", "data-key": `sure ${one.id}` }),
    button("Keep it", () => doom(null, one.id), { class: "plain small", "data-key": `keep ${one.id}` }),
  );
}

function doom(id, from = id) {
  doomed = id;
  toFocus = `${id ? "keep" : "delete"} ${from}`;
  redraw();
}

function facts(one) {
  const parts = [plural(one.arcs, "link")];
  if (one.score !== null && one.score !== undefined) parts.push(`score ${short(one.score)}`);
  parts.push(seconds(one.seconds));
  return parts.join(" · ");
}

async function choose(currentId, comparedId) {
  try {
    await store.change(api.put("api/current", { current: currentId, compared: comparedId }));
  } catch (error) {
    document.dispatchEvent(new CustomEvent("studio:failed", { detail: error.message }));
  }
}

async function drop(id) {
  doomed = null;
  try {
    await store.change(api.remove(`api/results/${encodeURIComponent(id)}`));
    announce("Deleted");
  } catch (error) {
    document.dispatchEvent(new CustomEvent("studio:failed", { detail: error.message }));
  }
}

// ---- pictures

async function draw(session) {
  stage.hidden = !session.current;
  if (!session.current) return;
  const wanted = `${session.revision} ${session.current} ${session.compared}`;
  showing = wanted;
  if (!stage.childElementCount) refill(stage, el("p", { class: "hint" }, "One moment…"));
  try {
    if (session.compared) await drawPair(session, wanted);
    else await drawOne(session, wanted);
  } catch (error) {
    if (showing === wanted) refill(stage, notice("error", error.message));
  }
}

async function drawOne(session, wanted) {
  const found = await store.result(session.current);
  if (showing !== wanted) return;
  const links = found.links.filter((link) => link.in_network).map(({ a, b, directed }) => ({ a, b, directed }));
  const open = links.some((link) => !link.directed);
  refill(
    stage,
    el("h2", {}, session.results.find((one) => one.id === session.current)?.title ?? "The network"),
    view.element,
    legend([
      ["directed", open ? "direction from the data, your knowledge or your decisions" : "link with its direction"],
      ...(open ? [["open", "direction left open by the data"]] : []),
    ]),
    el(
      "p",
      { class: "row" },
      button(
        "Go on to what is open",
        () => document.dispatchEvent(new CustomEvent("studio:go", { detail: "resolve" })),
        { class: "primary", "data-key": "go" },
      ),
    ),
    found.text &&
      el(
        "details",
        { class: "more", "data-open": "text" },
        el("summary", {}, "All that is known of this result"),
        el("pre", {}, found.text),
      ),
  );
  view.show(found.layout, links);
}

async function drawPair(session, wanted) {
  const path = `api/results/${encodeURIComponent(session.current)}/comparison/${encodeURIComponent(session.compared)}`;
  const found = await api.get(path);
  if (showing !== wanted) return;
  const title = (id) => session.results.find((one) => one.id === id)?.title ?? id;
  const edges = found.layout.edges;
  const side = (which) => edges.map((edge) => ofSide(edge, which)).filter(Boolean);
  const count = (kind) => edges.filter((edge) => edge.class === kind).length;
  const opened = count("directed_in_first") + count("directed_in_second");
  refill(
    stage,
    el("h2", {}, "Two networks side by side"),
    el(
      "p",
      { class: "facts" },
      `${plural(count("common"), "link")} in both, ${count("missing")} only in the first, ${count("extra")} only in the second, ${count("turned")} turned round`,
      opened ? `, ${opened} directed in only one` : "",
    ),
    el(
      "div",
      { class: "pair" },
      [session.current, session.compared].map((id, i) =>
        el("figure", {}, el("figcaption", {}, title(id)), pair[i].element),
      ),
    ),
    legend([
      ["directed is-common", "in both"],
      ...(edges.some((edge) => edge.class === "common" && !edge.directed)
        ? [["open is-common", "in both, direction open in both"]]
        : []),
      ["directed is-missing", "only in the first"],
      ["directed is-extra", "only in the second"],
      ["directed is-turned", "turned round"],
      ...(opened ? [["open is-opened", "directed in only one"]] : []),
    ]),
    el(
      "p",
      { class: "row" },
      button("Stop comparing", () => choose(session.current, null), { "data-key": "stop" }),
    ),
  );
  pair[0].show(found.layout, side("first"));
  pair[1].show(found.layout, side("second"));
}

const WORDS = { common: "in both", missing: "only in the first", extra: "only in the second", turned: "turned round" };

/** Return a link as the first or the second network has it; null if it has not. Turned links are as the second has them. */
function ofSide(edge, which) {
  const { a, b, class: kind } = edge;
  if (kind === (which === "first" ? "extra" : "missing")) return null;
  const one = { a, b, directed: edge.directed, class: kind, said: WORDS[kind] ?? "directed in only one" };
  if (kind === "turned" && which === "first") return { ...one, a: b, b: a };
  if (kind.startsWith("directed_in")) return { ...one, class: "opened", directed: kind === `directed_in_${which}` };
  return one;
}
