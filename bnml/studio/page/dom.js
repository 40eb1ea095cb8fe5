// Elements, made by name. What comes from data is only ever set as text.

const SVG = "http://www.w3.org/2000/svg";

/** Return an element; `on…` properties are listeners, null and false ones are left out, texts become text nodes. */
export function el(tag, properties = {}, ...children) {
  return filled(document.createElement(tag), properties, children);
}

/** Return an element of a picture. */
export function svg(tag, properties = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), properties, children);
}

function filled(node, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "disabled" || name === "selected") node[name] = value;
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/**
 * Put new content into a place; focus, selected text and scrolled places stay with the elements that have the same
 * `data-key` as before.
 */
export function refill(place, ...content) {
  const active = document.activeElement;
  const inside = active && place.contains(active) ? active : null;
  const key = inside?.closest("[data-key]")?.dataset.key;
  const range = inside && "selectionStart" in inside ? [inside.selectionStart, inside.selectionEnd] : null;
  const scrolled = [...place.querySelectorAll("[data-scroll]")].map((one) => [
    one.dataset.scroll,
    one.scrollLeft,
    one.scrollTop,
  ]);
  const opened = [...place.querySelectorAll("details[data-open]")].map((one) => [one.dataset.open, one.open]);
  place.replaceChildren(...content.flat(3).filter(Boolean));
  for (const [name, open] of opened) {
    const one = place.querySelector(`details[data-open="${CSS.escape(name)}"]`);
    if (one) one.open = open;
  }
  for (const [name, left, top] of scrolled) {
    place.querySelector(`[data-scroll="${CSS.escape(name)}"]`)?.scrollTo(left, top);
  }
  if (key === undefined) return;
  const again = place.querySelector(`[data-key="${CSS.escape(key)}"]`);
  if (!again) return;
  again.focus({ preventScroll: true });
  try {
    if (range && range[0] !== null) again.setSelectionRange(...range);
  } catch {
    // not a field of text
  }
}

/** Return a card with a heading, "h1" or "h2". */
export function headed(level, title, ...content) {
  return el("section", { class: "card" }, el(level, {}, title), content);
}

/** Let what is dragged be dropped on an element, which is marked as long as it is above it; return the element. */
export function takesDrops(place, take) {
  const marked = (event) => {
    event.preventDefault();
    place.classList.toggle("over", event.type === "dragover");
  };
  place.addEventListener("dragover", marked);
  place.addEventListener("dragleave", () => place.classList.remove("over"));
  place.addEventListener("drop", (event) => {
    marked(event);
    take(event.dataTransfer);
  });
  return place;
}

let fields = 0;

/** Return a labelled control with its hint; `error` stands beside it. */
export function field(label, control, { hint = "", error = "", inline = false } = {}) {
  const id = control.id || `field-${(fields += 1)}`;
  control.id = id;
  const described = [];
  const parts = [el("label", { for: id }, label), control];
  if (hint) {
    parts.push(el("p", { class: "hint", id: `${id}-hint` }, hint));
    described.push(`${id}-hint`);
  }
  if (error) {
    parts.push(el("p", { class: "mistake", id: `${id}-error`, role: "alert" }, error));
    described.push(`${id}-error`);
    control.setAttribute("aria-invalid", "true");
  }
  if (described.length) control.setAttribute("aria-describedby", described.join(" "));
  return el("div", { class: inline ? "field inline" : "field" }, parts);
}

/** Return a list to choose from; options are texts or [value, text]. */
export function choice(options, value, properties = {}) {
  const select = el(
    "select",
    properties,
    options.map((option) => {
      const [own, text] = Array.isArray(option) ? option : [option, option];
      return el("option", { value: own, selected: own === value }, text);
    }),
  );
  select.value = value;
  return select;
}

export function button(text, onclick, properties = {}) {
  return el("button", { type: "button", class: "plain", ...properties, onclick }, text);
}

/** Say something to those who listen rather than look. */
export function announce(text) {
  const place = document.getElementById("announcer");
  place.textContent = "";
  setTimeout(() => {
    place.textContent = text;
  }, 30);
}

/** Return a message in a box: "error", "warning" or "good". */
export function notice(kind, ...content) {
  return el("div", { class: `notice ${kind}`, role: kind === "error" ? "alert" : null }, ...content);
}

/** Return a question in a box, with the buttons that answer it. */
export function question(label, text, ...answers) {
  return el(
    "div",
    { class: "notice warning question", role: "group", "aria-label": label },
    el("p", {}, text),
    el("p", { class: "row" }, ...answers),
  );
}

/** What scores are counted in, for those who meet the word for the first time. */
export const NATS =
  "Scores are counted in nats: one nat more stands for a table that the network makes 2.7 times as probable.";

const numbers = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

export function whole(number) {
  return numbers.format(number);
}

export function plural(number, one, many = `${one}s`) {
  return `${whole(number)} ${number === 1 ? one : many}`;
}

const plainDigits = new Intl.NumberFormat("en", { maximumSignificantDigits: 5 });

/** Return a number as it stands in a table, with at most five digits that count. */
export function plainNumber(number) {
  return plainDigits.format(number);
}

/** Return a number with about three digits that count. */
export function short(number) {
  if (number === null || number === undefined || Number.isNaN(number)) return "–";
  const size = Math.abs(number);
  if (size >= 100) return numbers.format(number);
  if (size >= 10) return number.toFixed(1);
  if (size >= 0.01 || size === 0) return number.toFixed(2);
  return number.toExponential(1);
}

export function percent(share, digits = 0) {
  if (share === null || share === undefined) return "–";
  const value = 100 * share;
  if (share > 0 && value < 0.5 * 10 ** -digits) return `<${(10 ** -digits).toFixed(digits)} %`;
  if (share < 1 && value > 100 - 0.5 * 10 ** -digits) return `>${(100 - 10 ** -digits).toFixed(digits)} %`;
  return `${value.toFixed(digits)} %`;
}

export function pValue(p) {
  if (p === null || p === undefined) return "–";
  return p < 0.001 ? "below 0.001" : p.toFixed(3);
}

export function seconds(time) {
  if (time === null || time === undefined) return "–";
  if (time < 0.1) return "less than 0.1 s";
  if (time < 10) return `${time.toFixed(1)} s`;
  if (time < 100) return `${Math.round(time)} s`;
  if (time < 6000) return `${Math.round(time / 60)} min`;
  return `${Math.round(time / 3600)} h`;
}
