// The page: six steps as tabs, the line that shows work, undo and redo, light and dark.

import * as api from "./api.js";
import * as store from "./store.js";
import { announce, button, el, percent, plural, refill } from "./dom.js";
import { table } from "./table.js";
import { knowledge } from "./knowledge.js";
import { learn } from "./learn.js";
import { resolve } from "./resolve.js";
import { ask } from "./ask.js";
import { handOn } from "./hand_on.js";

const STEPS = [table, knowledge, learn, resolve, ask, handOn];
const WORK = {
  table: "Reading the table",
  learn: "Learning a network",
  npc: "Testing for open questions",
  support: "Measuring support",
  posterior: "Computing probabilities of links",
  study: "Writing the report",
};

const panel = document.getElementById("panel");
const tabs = document.getElementById("tabs");
const status = document.getElementById("status");
let shown = null;
let failure = null;
let drawn = null; // the revision and the job that the step shows

function stepNamed(name) {
  return STEPS.find((step) => step.name === name) ?? STEPS[0];
}

function show(step, { focus = false } = {}) {
  if (shown !== step) {
    shown?.leave?.();
    shown = step;
    panel.setAttribute("aria-labelledby", `tab-${step.name}`);
    panel.replaceChildren(step.element());
    if (location.hash !== `#${step.name}`) history.replaceState(null, "", `#${step.name}`);
    window.scrollTo(0, 0);
    if (store.current()) step.update(store.current());
  }
  drawTabs();
  if (focus) document.getElementById(`tab-${step.name}`).focus();
}

function drawTabs() {
  const session = store.current();
  if (!tabs.children.length) {
    for (const [i, step] of STEPS.entries()) {
      tabs.append(
        el(
          "button",
          { type: "button", role: "tab", id: `tab-${step.name}`, "aria-controls": "panel", onclick: () => show(step) },
          el("span", { class: "number", "aria-hidden": "true" }, String(i + 1)),
          el("span", {}, step.title),
        ),
      );
    }
  }
  for (const [i, step] of STEPS.entries()) {
    const tab = tabs.children[i];
    tab.setAttribute("aria-selected", String(step === shown));
    tab.tabIndex = step === shown ? 0 : -1;
    tab.classList.toggle("done", Boolean(session && step.done?.(session)));
  }
}

tabs.addEventListener("keydown", (event) => {
  const at = STEPS.indexOf(shown);
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: STEPS.length - 1 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  show(STEPS[(to + STEPS.length) % STEPS.length], { focus: true });
});

function drawStatus(session) {
  const job = session.job;
  if (job) {
    failure = null;
    const known = typeof job.fraction === "number";
    const words = WORK[job.kind] ?? "Working";
    if (status.dataset.job !== job.id) {
      status.dataset.job = job.id;
      refill(
        status,
        el("p", { class: "stage" }),
        el("progress", { max: "1", "aria-label": words }),
        button("Cancel", () => cancel(job.id), { class: "plain small", "data-key": "cancel" }),
      );
      announce(words);
    }
    const stage = status.querySelector(".stage");
    const text = job.stage && job.stage !== words ? `${words}: ${job.stage}` : words;
    stage.textContent = known ? `${text} (${percent(job.fraction)})` : text;
    stage.title = text;
    const bar = status.querySelector("progress");
    if (known) bar.value = job.fraction;
    else bar.removeAttribute("value");
  } else if (failure) {
    delete status.dataset.job;
    refill(
      status,
      el("p", { class: "stage mistake", role: "alert" }, failure),
      button(
        "Close",
        () => {
          failure = null;
          drawStatus(store.current());
        },
        { class: "plain small" },
      ),
    );
  } else {
    delete status.dataset.job;
  }
  status.hidden = !job && !failure;
  document.body.classList.toggle("working", Boolean(job));
}

async function cancel(id) {
  try {
    await store.change(api.remove(`api/jobs/${encodeURIComponent(id)}`));
    announce("Cancelled");
  } catch (error) {
    if (error.status !== 404) fail(error.message);
    await store.refresh();
  }
}

function fail(message) {
  failure = message;
  drawStatus(store.current());
}

async function step(kind) {
  try {
    await store.change(api.post(`api/${kind}`));
    announce(kind === "undo" ? "Undone" : "Done again");
  } catch (error) {
    fail(error.message);
  }
}

const undo = document.getElementById("undo");
const redo = document.getElementById("redo");
undo.addEventListener("click", () => step("undo"));
redo.addEventListener("click", () => step("redo"));
document.addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.altKey || event.target.closest("input, textarea, select")) return;
  const key = event.key.toLowerCase();
  const which = key === "z" && !event.shiftKey ? undo : key === "y" || (key === "z" && event.shiftKey) ? redo : null;
  if (!which || which.disabled) return;
  event.preventDefault();
  which.click();
});

const theme = document.getElementById("theme");
const dark = () =>
  (document.documentElement.dataset.theme ??
    (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
function drawTheme() {
  theme.querySelector(".word").textContent = dark() ? "Light" : "Dark";
  theme.setAttribute("aria-label", dark() ? "Change to light colours" : "Change to dark colours");
}
theme.addEventListener("click", () => {
  document.documentElement.dataset.theme = dark() ? "light" : "dark";
  localStorage.setItem("theme", document.documentElement.dataset.theme);
  drawTheme();
});
const kept = localStorage.getItem("theme");
if (kept === "light" || kept === "dark") document.documentElement.dataset.theme = kept;
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawTheme);
drawTheme();

addEventListener("hashchange", () => {
  const name = location.hash.slice(1);
  if (STEPS.some((one) => one.name === name)) show(stepNamed(name));
  else if (name === "panel") panel.focus();
});
document.addEventListener("studio:go", (event) => show(stepNamed(event.detail), { focus: true }));
document.addEventListener("studio:failed", (event) => fail(event.detail));

store.watch((session) => {
  const { table: one } = session;
  document.getElementById("subject").textContent = !one
    ? ""
    : typeof one.rows === "number"
      ? `${one.name}, ${plural(one.rows, "row")}`
      : one.name;
  document.title = one ? `${one.name} – bnml studio` : "bnml studio";
  const reading = session.job?.kind === "table";
  undo.disabled = !session.can_undo || reading;
  redo.disabled = !session.can_redo || reading;
  undo.title = redo.title = reading ? "The table is being read; wait for it, or cancel it" : "";
  drawStatus(session);
  drawTabs();
  const state = `${session.revision} ${session.job?.id ?? ""}`;
  if (state !== drawn) shown?.update(session);
  drawn = state;
});

const lost = document.getElementById("lost");
api.listen({
  connected() {
    lost.hidden = true;
    store.refresh().catch(() => {});
  },
  lost() {
    lost.textContent =
      "The studio has stopped. Nothing is lost: start it again with the same table, and open the address that it shows.";
    lost.hidden = false;
  },
  session() {
    store.refresh().catch(() => {});
  },
  progress(job) {
    const session = store.current();
    if (session) store.accept({ ...session, job });
  },
  done(job) {
    store.forget();
    drawn = null;
    announce(`${WORK[job.kind] ?? "Work"}: finished`);
    document.dispatchEvent(new CustomEvent("studio:done", { detail: job }));
    store.refresh().catch(() => {});
  },
  failed(job) {
    store.refresh().catch(() => {});
    // a step that is on the screen says beside its own controls what went wrong
    const untold = document.dispatchEvent(new CustomEvent("studio:stopped", { detail: job, cancelable: true }));
    if (!job.cancelled && untold) fail(job.error);
  },
});

async function start() {
  await store.refresh();
  const name = location.hash.slice(1);
  show(stepNamed(name));
}

start().catch((error) => {
  panel.replaceChildren(el("p", { class: "notice error", role: "alert" }, error.message));
});
