// Step 1: the table. Open a file, switch columns on and off, cut numbers into bins, say what gaps mean.

import * as api from "./api.js";
import * as store from "./store.js";
import {
  NATS,
  announce,
  button,
  choice,
  el,
  field,
  headed,
  notice,
  percent,
  plainNumber,
  plural,
  refill,
  short,
  svg,
  takesDrops,
  whole,
} from "./dom.js";

const MISSING = [
  ["error", "Refuse them"],
  ["drop", "Drop the rows"],
  ["state", "A state of their own"],
];
const MISSING_HINT = {
  error: "Right when nothing should be missing: you are told where something is.",
  drop: "Rows with a gap in a column in use are left out.",
  state: "Right when a gap means something, such as “was not asked”.",
};
const BINS = [
  ["auto", "By other columns"],
  ["mdl", "By their own histogram"],
];
const WIDTH = 560;
const HEIGHT = 180;

const place = el("div");
let chosen = null; // the column that is looked at
let draft = null; // { column, cuts } while cuts are edited
let gain = null; // what the server says of the draft
let mistakes = {};
let asking = null;
let sending = null; // the name of a file that is on its way
let offered = [".csv", ".tsv", ".txt"]; // how names of files end that can be read here
store.named().then(
  (choices) => {
    offered = choices.suffixes;
    if (place.isConnected && store.current()) redraw();
  },
  () => {},
);

export const table = {
  name: "table",
  title: "Table",
  done: (session) => Boolean(session.table?.readable),
  element: () => place,
  update,
};

function update(session) {
  if (!session.table) {
    refill(place, welcome(session));
    return;
  }
  const { columns } = session.table;
  if (session.table.rows === null || session.table.rows === undefined) {
    refill(
      place,
      headed(
        "h1",
        session.table.name,
        el("p", { class: "facts" }, "The table is being looked at…"),
        mistakes.table && notice("error", mistakes.table),
        dropZone("Choose another table"),
      ),
    );
    return;
  }
  if (!columns.some((column) => column.name === chosen))
    chosen = (
      columns.find((column) => column.used && column.histogram) ??
      columns.find((column) => column.used) ??
      columns[0]
    )?.name;
  if (draft && draft.column !== chosen) draft = null;
  refill(place, summary(session), el("div", { class: "two" }, list(session), detail(session)), preview(session.table));
}

const redraw = () => update(store.current());

async function change(body, key) {
  mistakes = {};
  try {
    await store.change(api.put("api/table", body));
    redraw();
  } catch (error) {
    mistakes[key ?? error.argument ?? "table"] = error.message;
    redraw();
  }
}

// ---- a file

function welcome(session) {
  return el(
    "section",
    { class: "card welcome" },
    el("h1", {}, "From a table to a network"),
    el(
      "p",
      { class: "lead" },
      "Give the studio a table: a row for each case, a column for each thing that was noted down. In six steps it becomes ",
      "a network that shows what depends on what, and that you can ask questions.",
    ),
    dropZone("Choose a table"),
    el("p", { class: "or" }, "or"),
    el(
      "p",
      {},
      button("Try the example: a chest clinic", example, { "data-key": "example", disabled: Boolean(session.job) }),
    ),
    el("p", { class: "hint" }, "Everything stays on this computer. Nothing is sent anywhere."),
  );
}

function dropZone(text) {
  const kinds = ["CSV", offered.includes(".xlsx") && "Excel", "Parquet", "Feather"].filter(Boolean);
  const input = el("input", {
    type: "file",
    class: "unseen",
    id: "file",
    "data-key": "file",
    accept: [...new Set(offered.map((suffix) => `.${suffix.split(".").at(-1)}`))].join(","),
    onchange: () => input.files[0] && upload(input.files[0]),
  });
  const zone = el(
    "div",
    { class: "drop" },
    input,
    el("label", { for: "file", class: "primary as-button" }, text),
    el("p", { class: "hint" }, `${kinds.join(", ")}. Or drop a file here.`),
    sending && el("p", { class: "hint", role: "status" }, `${sending} is being read in…`),
    mistakes.file && el("p", { class: "mistake", role: "alert" }, mistakes.file),
  );
  return takesDrops(zone, (dropped) => {
    const file = dropped.files[0];
    if (file) upload(file);
  });
}

document.addEventListener("studio:stopped", (event) => {
  if (event.detail.kind !== "table" || event.detail.cancelled || !place.isConnected) return;
  event.preventDefault();
  mistakes = { [store.current().table ? "table" : "file"]: event.detail.error };
  redraw();
});

async function upload(file) {
  mistakes = {};
  sending = file.name;
  announce(`Sending ${file.name}`);
  redraw();
  try {
    await store.change(api.send("api/table", file));
  } catch (error) {
    mistakes.file = error.message;
  }
  sending = null;
  redraw();
}

async function example() {
  mistakes = {};
  try {
    await store.change(api.post("api/example"));
  } catch (error) {
    mistakes.file = error.message;
    redraw();
  }
}

// ---- the whole table

function summary(session) {
  const { table: one } = session;
  const used = one.columns.filter((column) => column.used);
  const gaps = used.reduce((sum, column) => sum + column.missing, 0);
  return el(
    "section",
    { class: "card" },
    el(
      "div",
      { class: "headline" },
      el("h1", {}, one.name),
      el(
        "p",
        { class: "facts" },
        `${plural(one.rows, "row")}, ${whole(used.length)} of ${plural(one.columns.length, "column")} in use`,
      ),
    ),
    mistakes.table && notice("error", mistakes.table),
    !one.readable &&
      one.reason &&
      notice("warning", el("strong", {}, "This table cannot be used as it is. "), one.reason),
    (one.notes ?? []).map((note) => notice("warning", note)),
    one.readable &&
      el(
        "p",
        { class: "row" },
        notice("good", "The table is ready."),
        button(
          "Go on to what you know",
          () => document.dispatchEvent(new CustomEvent("studio:go", { detail: "knowledge" })),
          { class: "primary", "data-key": "go" },
        ),
      ),
    el(
      "div",
      { class: "fields" },
      field(
        `Missing values${gaps ? ` (${whole(gaps)})` : ""}`,
        choice(MISSING, one.missing, {
          "data-key": "missing",
          onchange: (event) => change({ missing: event.target.value }, "missing"),
        }),
        { hint: MISSING_HINT[one.missing], error: mistakes.missing },
      ),
      field(
        "Texts for missing values",
        el("input", {
          type: "text",
          value: (one.na_values ?? []).join(", "),
          "data-key": "na",
          onchange: (event) =>
            change(
              {
                na_values: event.target.value
                  .split(",")
                  .map((word) => word.trim())
                  .filter(Boolean),
              },
              "na_values",
            ),
        }),
        { hint: "Besides empty cells; for example: unknown, n/a, -99", error: mistakes.na_values },
      ),
      field(
        "Cut numbers",
        choice(binChoices(one.bins), one.bins ?? "auto", {
          "data-key": "bins",
          onchange: (event) => change({ bins: event.target.value }, "bins"),
        }),
        { hint: "A network needs a few groups in place of many numbers; usually those that tell most about other columns.", error: mistakes.bins },
      ),
      field(
        "What matters most to you",
        choice([["", "No single column"], ...used.map((column) => column.name)], one.target ?? "", {
          "data-key": "target",
          onchange: (event) => change({ target: event.target.value || null }, "target"),
        }),
        { hint: "The report pays special attention to this column.", error: mistakes.target },
      ),
    ),
    el(
      "details",
      { class: "more", "data-open": "another" },
      el("summary", {}, "Open another table"),
      dropZone("Choose another table"),
    ),
  );
}

function binChoices(own) {
  const known = BINS.some(([value]) => value === (own ?? "auto"));
  return known ? BINS : [...BINS, [own, own]];
}

// ---- the columns

function list(session) {
  const { table: one } = session;
  const names = one.columns.filter((column) => column.used).map((column) => column.name);
  const set = (chosenNames) => change({ used: chosenNames }, "used");
  const rows = one.columns.map((column) => {
    const box = el("input", {
      type: "checkbox",
      checked: column.used,
      "aria-label": `Use ${column.name}`,
      "data-key": `use ${column.name}`,
      onchange: (event) =>
        set(
          one.columns
            .filter((other) => (other === column ? event.target.checked : other.used))
            .map((other) => other.name),
        ),
    });
    return el(
      "tr",
      { class: [column.used ? "" : "off", column.name === chosen ? "chosen" : ""].join(" ").trim() || null },
      el("td", { class: "tick" }, box),
      el(
        "th",
        { scope: "row" },
        button(
          column.name,
          () => {
            chosen = column.name;
            gain = null;
            redraw();
            if (matchMedia("(max-width: 900px)").matches)
              place.querySelector(".detail")?.scrollIntoView({ block: "nearest" });
          },
          { class: "link", "data-key": `column ${column.name}`, "aria-pressed": String(column.name === chosen) },
        ),
        column.advice && el("p", { class: "advice" }, column.advice),
      ),
      el("td", { class: "hide-small kind" }, column.kind),
      el("td", { class: "number" }, groups(column)),
      el("td", { class: `number${column.missing ? " some" : ""}` }, column.missing ? whole(column.missing) : "none"),
      el("td", { class: "hide-small" }, spark(column)),
    );
  });
  return el(
    "section",
    { class: "card list" },
    el("h2", {}, "Columns"),
    el("p", { class: "hint" }, "Switch off what should not be in the network. Choose a name to look at the column."),
    mistakes.used && notice("error", mistakes.used),
    el(
      "div",
      {
        class: "scroll",
        "data-scroll": "columns",
        tabindex: "0",
        role: "region",
        "aria-label": "Columns of the table",
      },
      el(
        "table",
        { class: "columns" },
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            el("th", { scope: "col", class: "tick" }, el("span", { class: "unseen" }, "In use")),
            el("th", { scope: "col" }, "Name"),
            el("th", { scope: "col", class: "hide-small" }, "Kind"),
            el("th", { scope: "col", class: "number" }, "Values"),
            el("th", { scope: "col", class: "number" }, "Missing"),
            el("th", { scope: "col", class: "hide-small" }, "Picture"),
          ),
        ),
        el("tbody", {}, rows),
      ),
    ),
    names.length < one.columns.length &&
      el(
        "p",
        {},
        button("Use all columns", () => set(one.columns.map((column) => column.name)), {
          class: "plain small",
          "data-key": "all",
        }),
      ),
  );
}

function groups(column) {
  if (!column.cuts) return whole(column.distinct);
  return `${whole(column.distinct)} → ${whole(column.cuts.length + 1)}`;
}

/** Return a picture of a column of the size of a word. */
function spark(column) {
  const counts = column.histogram?.counts ?? column.common.map((one) => one.count);
  const most = Math.max(1, ...counts);
  const wide = 84 / Math.max(counts.length, 1);
  return svg(
    "svg",
    { class: "spark", width: 84, height: 22, viewBox: "0 0 84 22", "aria-hidden": "true" },
    counts.map((count, i) => {
      const high = Math.max(count ? 1.5 : 0, (20 * count) / most);
      return svg("rect", { x: i * wide, y: 22 - high, width: Math.max(1, Math.min(wide - 1, 14)), height: high });
    }),
  );
}

// ---- one column

function detail(session) {
  const column = session.table.columns.find((one) => one.name === chosen);
  if (!column) return null;
  return el(
    "section",
    { class: "card detail", "aria-label": `Column ${column.name}` },
    el("h2", {}, column.name),
    el(
      "p",
      { class: "facts" },
      `${column.kind}, ${plural(column.distinct, "value")}, ${column.missing ? `${whole(column.missing)} missing (${percent(column.missing / Math.max(1, session.table.rows))})` : "nothing missing"}`,
    ),
    column.advice && notice("warning", column.advice),
    column.histogram && column.used ? cutter(session, column) : values(session, column),
  );
}

function values(session, column) {
  const most = Math.max(1, ...column.common.map((one) => one.count));
  return el(
    "ul",
    { class: "values" },
    column.common.map((one) => {
      const bar = el("span", { class: "fill" });
      bar.style.width = `${(100 * one.count) / most}%`;
      return el(
        "li",
        {},
        el("span", { class: "name", title: String(one.label) }, String(one.label)),
        el("span", { class: "track" }, bar),
        el("span", { class: "number" }, whole(one.count)),
      );
    }),
    column.distinct > column.common.length &&
      el("li", { class: "hint" }, `and ${plural(column.distinct - column.common.length, "other value")}`),
  );
}

function cutter(session, column) {
  const { low, high, counts } = column.histogram;
  const span = high - low || 1;
  if (!draft) draft = { column: column.name, cuts: [...(column.cuts ?? [])] };
  const whole_numbers = column.kind === "whole numbers";
  const rounded = (value) => {
    const unit = whole_numbers ? 0.5 : 10 ** Math.floor(Math.log10(span / 200));
    const near = whole_numbers ? Math.round(value - 0.5) + 0.5 : Math.round(value / unit) * unit;
    return Number(Math.min(high, Math.max(low, near)).toPrecision(12));
  };
  const x = (value) => ((value - low) / span) * WIDTH;
  const most = Math.max(1, ...counts);
  const wide = WIDTH / counts.length;
  const bars = counts.map((count, i) => {
    const tall = (count / most) * (HEIGHT - 12);
    return svg("rect", { class: "bar", x: i * wide + 1, y: HEIGHT - tall, width: Math.max(1, wide - 2), height: tall });
  });
  const handles = draft.cuts.map((value, i) => handle(value, i));
  const picture = svg(
    "svg",
    {
      class: "histogram",
      viewBox: `-14 -14 ${WIDTH + 28} ${HEIGHT + 18}`,
      role: "group",
      "aria-label": `Histogram of ${column.name} with its cuts`,
    },
    bars,
    svg("line", { class: "axis", x1: 0, x2: WIDTH, y1: HEIGHT, y2: HEIGHT }),
    handles,
  );
  picture.addEventListener("dblclick", (event) => {
    if (event.target.closest(".cut")) return;
    add(rounded(low + at(event) * span));
  });

  function at(event) {
    const box = picture.getBoundingClientRect();
    const unit = box.width / (WIDTH + 28);
    return Math.min(1, Math.max(0, ((event.clientX - box.left) / unit - 14) / WIDTH));
  }

  function handle(value, i) {
    const group = svg(
      "g",
      {
        class: "cut",
        role: "slider",
        tabindex: "0",
        "aria-label": `Cut ${i + 1} of ${draft.cuts.length}`,
        "aria-valuemin": low,
        "aria-valuemax": high,
        "aria-valuenow": value,
        "data-key": `cut ${i}`,
        transform: `translate(${x(value)} 0)`,
      },
      svg("rect", { class: "grip", x: -12, y: -14, width: 24, height: HEIGHT + 14 }),
      svg("line", { y1: -4, y2: HEIGHT }),
      svg("circle", { cy: -6, r: 7 }),
    );
    group.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      group.focus();
      group.setPointerCapture(event.pointerId);
      const move = (moved) => {
        draft.cuts[i] = rounded(low + at(moved) * span);
        group.setAttribute("transform", `translate(${x(draft.cuts[i])} 0)`);
        group.setAttribute("aria-valuenow", draft.cuts[i]);
        askGain();
        const input = place.querySelector(`[data-key="number ${i}"]`);
        if (input) input.value = draft.cuts[i];
      };
      const up = () => {
        group.removeEventListener("pointermove", move);
        group.removeEventListener("pointerup", up);
        tidy();
      };
      group.addEventListener("pointermove", move);
      group.addEventListener("pointerup", up);
    });
    group.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 }[event.key];
      if (by) {
        event.preventDefault();
        const step = whole_numbers ? Math.max(1, Math.round(span / 100)) : span / 100;
        draft.cuts[i] = rounded(draft.cuts[i] + by * step);
        askGain();
        redraw();
      } else if (event.key === "Delete" || event.key === "Backspace") {
        event.preventDefault();
        draft.cuts.splice(i, 1);
        tidy();
      }
    });
    return group;
  }

  function add(value) {
    draft.cuts.push(value);
    tidy();
  }

  function tidy() {
    draft.cuts = [...new Set(draft.cuts)].filter((value) => value > low && value < high).sort((one, two) => one - two);
    askGain();
    redraw();
  }

  const widest = () => {
    const ends = [low, ...draft.cuts, high];
    let best = 0;
    for (let i = 1; i < ends.length - 1; i += 1) if (ends[i + 1] - ends[i] > ends[best + 1] - ends[best]) best = i;
    return rounded((ends[best] + ends[best + 1]) / 2);
  };
  if (gain === null && draft.cuts.length && session.table.readable) askGain();
  const same = JSON.stringify(draft.cuts) === JSON.stringify(column.cuts ?? []);
  return el(
    "div",
    {},
    el(
      "p",
      { class: "hint" },
      "Drag the cuts, or move them with the arrow keys. A double click adds one, Delete removes one.",
    ),
    el(
      "div",
      { class: "scaled" },
      picture,
      el("p", { class: "ends" }, el("span", {}, plainNumber(low)), el("span", {}, plainNumber(high))),
    ),
    el("p", { class: "gain", id: "gain", "aria-live": "polite" }, gainText()),
    draft.cuts.length > 0 && el("p", { class: "hint" }, NATS),
    el(
      "ol",
      { class: "cuts" },
      draft.cuts.map((value, i) =>
        el(
          "li",
          {},
          el("label", { class: "unseen", for: `cut-${i}` }, `Cut ${i + 1}`),
          el("input", {
            type: "number",
            id: `cut-${i}`,
            step: "any",
            value,
            "data-key": `number ${i}`,
            onchange: (event) => {
              draft.cuts[i] = Number(event.target.value);
              tidy();
            },
          }),
          button(
            "×",
            () => {
              draft.cuts.splice(i, 1);
              tidy();
            },
            { class: "plain small", "data-key": `remove ${i}`, "aria-label": `Remove cut ${i + 1}` },
          ),
        ),
      ),
    ),
    mistakes.cuts && el("p", { class: "mistake", role: "alert" }, mistakes.cuts),
    el(
      "p",
      { class: "row" },
      button("Add a cut", () => add(widest()), { "data-key": "add" }),
      button("Use these cuts", () => use(column.name, draft.cuts), {
        class: "primary",
        "data-key": "use-cuts",
        disabled: same || !draft.cuts.length || Boolean(session.job),
      }),
      button("Let bnml choose", () => use(column.name, null), {
        "data-key": "auto-cuts",
        disabled: Boolean(session.job),
      }),
    ),
  );
}

async function use(name, cuts) {
  draft = null;
  gain = null;
  await change({ cuts: { [name]: cuts } }, "cuts");
}

function gainText() {
  if (!draft?.cuts.length) return "No cuts yet.";
  if (!gain) return "…";
  if (gain.error) return gain.error;
  const about = !gain.of?.length
    ? "the other columns"
    : gain.of.length > 3
      ? `${gain.of.slice(0, 3).join(", ")} and ${gain.of.length - 3} more`
      : gain.of.join(", ");
  if (gain.gain <= 0) return `These cuts do not pay: they tell too little about ${about}.`;
  const best = gain.best > 0 ? `, of ${short(gain.best)} that the best cuts gain` : "";
  return `The score gains ${short(gain.gain)} nats with these cuts${best}, for what they tell about ${about}.`;
}

/** Ask what the cuts are worth; while an answer is awaited, only the last question is kept. */
function askGain() {
  if (!draft?.cuts.length) {
    gain = null;
    return;
  }
  const question = JSON.stringify(draft);
  if (asking) {
    asking.next = question;
    return;
  }
  asking = { next: null };
  api
    .post("api/table/gain", { column: draft.column, cuts: [...draft.cuts].sort((one, two) => one - two) })
    .then((answer) => {
      gain = answer;
    })
    .catch((error) => {
      gain = { error: error.message };
    })
    .finally(() => {
      const again = asking.next && asking.next !== question;
      asking = null;
      const line = document.getElementById("gain");
      if (line) line.textContent = gainText();
      if (again && draft) askGain();
    });
}

// ---- the rows

function preview(one) {
  return el(
    "details",
    { class: "card more", "data-open": "preview" },
    el("summary", {}, "The first rows"),
    el(
      "div",
      {
        class: "scroll",
        tabindex: "0",
        role: "region",
        "aria-label": "The first rows of the table",
        "data-scroll": "preview",
      },
      el(
        "table",
        { class: "preview" },
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            one.columns.map((column) => el("th", { scope: "col", class: column.used ? null : "off" }, column.name)),
          ),
        ),
        el(
          "tbody",
          {},
          (one.preview ?? []).map((row) =>
            el(
              "tr",
              {},
              row.map((cell, i) => el("td", { class: one.columns[i]?.used ? null : "off" }, cell ?? "")),
            ),
          ),
        ),
      ),
    ),
  );
}
