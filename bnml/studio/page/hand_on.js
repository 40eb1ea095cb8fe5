// Step 6: hand on what was made: network, picture, knowledge, report, and the whole session.

import * as api from "./api.js";
import * as store from "./store.js";
import { announce, button, choice, el, field, headed, notice, plural, question, refill } from "./dom.js";

const FORMATS = [
  ["json", "bnml (.json), keeps everything"],
  ["bif", "BIF (.bif), read by most programs"],
  ["net", "Hugin (.net)"],
  ["xdsl", "GeNIe (.xdsl)"],
  ["xmlbif", "XMLBIF (.xmlbif)"],
  ["dsc", "DSC (.dsc)"],
];
const PICTURES = [
  ["svg", "SVG, for pages and for editing"],
  ["png", "PNG, for texts and slides"],
  ["pdf", "PDF, for print"],
];

const place = el("div");
let format = "json";
let pictureKind = "svg";
let wanted = false; // whether the report is to be saved when it is there
let messages = {}; // what to say beside each thing: { kind: [class, text] }
let offered = null; // a session's file of which it is asked whether it shall be opened
let opening = false;

export const handOn = { name: "hand-on", title: "Hand on", element: () => place, update };

function update(session) {
  const nothing = !session.current;
  refill(
    place,
    headed(
      "h1",
      "Hand on",
      el(
        "p",
        { class: "lead" },
        "Take with you what you made. Every file is written on this computer; your browser puts it where it puts downloads.",
      ),
      nothing &&
        notice("warning", "There is no network yet: learn one in step 3. Knowledge and session can be saved already."),
    ),
    el(
      "div",
      { class: "offers" },
      offer(
        "report",
        "The report",
        "All steps from the table to the network, the open questions and what you decided by hand, as one page to read, print or send.",
        el(
          "p",
          { class: "hint" },
          nothing || complete(session)
            ? ""
            : "What has not been found out yet is found out first; that can take some minutes.",
        ),
        el(
          "p",
          { class: "row" },
          button("Save the report", report, {
            class: "primary",
            "data-key": "report",
            disabled: nothing || Boolean(session.job),
          }),
        ),
      ),
      offer(
        "network",
        "The network",
        "With its probabilities, for other programs.",
        field(
          "Format",
          choice(FORMATS, format, { "data-key": "format", onchange: (event) => (format = event.target.value) }),
        ),
        el(
          "p",
          { class: "row" },
          button("Save the network", () => save("network", `network.${format}`), {
            class: "primary",
            "data-key": "network",
            disabled: nothing,
          }),
        ),
      ),
      offer(
        "picture",
        "The picture",
        "The network as it is drawn in step 4, with directions that you gave.",
        field(
          "Kind",
          choice(PICTURES, pictureKind, {
            "data-key": "picture-kind",
            onchange: (event) => (pictureKind = event.target.value),
          }),
        ),
        el(
          "p",
          { class: "row" },
          button("Save the picture", () => save("picture", `picture.${pictureKind}`), {
            class: "primary",
            "data-key": "picture",
            disabled: nothing,
          }),
        ),
      ),
      offer(
        "constraints",
        "What you know",
        "Columns and links of step 2, as a file that bnml reads on the command line (TOML).",
        el(
          "p",
          { class: "row" },
          button("Save what I know", () => save("constraints", "constraints.toml"), {
            class: "primary",
            "data-key": "constraints",
          }),
        ),
      ),
      offer(
        "session",
        "Everything",
        "The whole session as one file: table, knowledge, results, decisions. The studio of another computer opens it.",
        el(
          "p",
          { class: "row" },
          button("Save the session", () => save("session", "session.zip"), { class: "primary", "data-key": "session" }),
          opener(session),
          session.before &&
            !offered &&
            button("Go back to the session before", back, {
              "data-key": "before",
              disabled: opening || Boolean(session.job),
              "aria-describedby": "before-hint",
            }),
        ),
        session.before &&
          !offered &&
          el(
            "p",
            { class: "hint", id: "before-hint" },
            `Before, ${contents(session.before)} was open. Going back keeps what is open now as the session before.`,
          ),
        offered &&
          question(
            `Open ${offered.name}?`,
            `${offered.name} takes the place of what is open now: ${contents({ table: session.table?.name, results: session.results.length })}. That is kept as the session before, to which you can go back here.`,
            button("Open it", () => open(offered), { class: "primary", "data-key": "open-it" }),
            button("Save this one first", () => save("session", "session.zip"), { "data-key": "save-first" }),
            button("Leave it", leave, { "data-key": "leave-it" }),
          ),
      ),
    ),
  );
}

function offer(kind, title, text, ...controls) {
  const message = messages[kind];
  return el(
    "section",
    { class: "card offer", "aria-label": title },
    el("h2", {}, title),
    el("p", { class: "hint" }, text),
    controls,
    message && el("p", { class: message[0], role: message[0] === "mistake" ? "alert" : "status" }, message[1]),
  );
}

function opener(session) {
  const input = el("input", {
    type: "file",
    class: "unseen",
    id: "session-file",
    "data-key": "session-file",
    accept: ".zip",
    disabled: opening || Boolean(session.job),
    onchange: () => input.files[0] && choose(input.files[0]),
  });
  return [input, el("label", { for: "session-file", class: "plain as-button" }, "Open a session")];
}

const say = (kind, style, text) => {
  messages = { [kind]: [style, text] };
  update(store.current());
};

async function save(kind, name) {
  say(kind, "hint", "One moment…");
  try {
    const saved = await api.save(`api/export/${name}`, name);
    say(kind, "fine", `Saved as ${saved}.`);
    announce(`Saved as ${saved}`);
  } catch (error) {
    say(kind, "mistake", error.message);
  }
}

const complete = (session) => Boolean(session.results.find((one) => one.id === session.current)?.complete);

/** Save the report, once all that it tells of has been found out. */
async function report() {
  if (complete(store.current())) {
    await save("report", "report.html");
    return;
  }
  wanted = true;
  try {
    await store.change(api.post("api/jobs", { kind: "study" }));
    say(
      "report",
      "hint",
      "The report is being made; the line below shows how far it is. It is saved as soon as it is there.",
    );
  } catch (error) {
    wanted = false;
    say("report", "mistake", error.message);
  }
}

document.addEventListener("studio:done", (event) => {
  if (event.detail.kind !== "study" || !wanted) return;
  wanted = false;
  save("report", "report.html");
});
document.addEventListener("studio:stopped", (event) => {
  if (event.detail.kind !== "study" || !wanted) return;
  wanted = false;
  if (event.detail.cancelled) say("report", "hint", "Stopped. What has been found out so far is kept.");
  else if (place.isConnected) {
    event.preventDefault();
    say("report", "mistake", event.detail.error);
  }
});

/** What a session has, in a few words. */
function contents({ table, results }) {
  const found = results ? `${plural(results, "result")}` : "";
  return [table ?? "no table", found].filter(Boolean).join(" with ");
}

const empty = (session) =>
  !session.table &&
  !session.results.length &&
  ["tiers", "required", "forbidden", "required_links", "forbidden_links"].every(
    (kind) => !session.knowledge[kind]?.length,
  );

/** Open a session's file; ask first where something else is open. */
function choose(file) {
  if (empty(store.current())) {
    open(file);
    return;
  }
  messages = {};
  offered = file;
  update(store.current());
  place.querySelector('[data-key="open-it"]')?.focus();
}

function leave() {
  offered = null;
  messages = {};
  update(store.current());
  document.getElementById("session-file")?.focus();
}

function open(file) {
  return take(api.send("api/import", file), `${file.name} is being read…`, `${file.name} is open.`);
}

function back() {
  return take(api.post("api/before"), "One moment…", "The session before is open again.");
}

async function take(request, during, after) {
  offered = null;
  opening = true;
  say("session", "hint", during);
  try {
    await store.change(request);
    opening = false;
    say("session", "fine", after);
  } catch (error) {
    opening = false;
    say("session", "mistake", error.message);
  }
}
