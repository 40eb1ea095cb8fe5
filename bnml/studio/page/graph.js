// A graph as a picture: boxes and links where bnml.plot puts them, with the same curves and heads as its files.
//
// Lengths are tenths of a point, as in the layout. Every link is drawn once; what changes later (direction, colour,
// whether it is hidden) changes its attributes, so that nothing moves.

import { button, el, svg } from "./dom.js";

const PIXELS = 96 / 720; // of a unit, at the usual size
const MARGIN = 120;
const STEEP = 6;
const LINE = 126;
const HEAD = { length: 82, half: 36 };

export const REGIONS = 6;

/** Return the two names of a link as one key, whatever their order. */
export const pairKey = (a, b) => (a < b ? JSON.stringify([a, b]) : JSON.stringify([b, a]));

/** Return a smooth path through points, vertical at each of them; straight where it would hardly bend. */
export function curve(points) {
  const [first, last] = [points[0], points.at(-1)];
  if (points.length === 4 && STEEP * Math.abs(last[0] - first[0]) <= Math.abs(last[1] - first[1]))
    points = [first, last];
  let path = `M${points[0][0]} ${points[0][1]}`;
  for (let i = 1; i < points.length; i += 1) {
    const [[x0, y0], [x1, y1]] = [points[i - 1], points[i]];
    if (2 * STEEP * Math.abs(x1 - x0) <= Math.abs(y1 - y0) || y0 === y1 || points.length === 2) path += `L${x1} ${y1}`;
    else {
      const middle = (y0 + y1) / 2;
      path += `C${x0} ${middle} ${x1} ${middle} ${x1} ${y1}`;
    }
  }
  return path;
}

function headed(points, scale) {
  const [before, tip] = [points.at(-2), points.at(-1)];
  const far = Math.hypot(tip[0] - before[0], tip[1] - before[1]) || 1;
  const [ux, uy] = [(tip[0] - before[0]) / far, (tip[1] - before[1]) / far];
  const [length, half] = [HEAD.length * scale, HEAD.half * scale];
  const base = [tip[0] - length * ux, tip[1] - length * uy];
  const corners = [tip, [base[0] - half * uy, base[1] + half * ux], [base[0] + half * uy, base[1] - half * ux]];
  const end = [tip[0] - 0.8 * length * ux, tip[1] - 0.8 * length * uy];
  return { corners: corners.map((corner) => corner.join(",")).join(" "), points: [...points.slice(0, -1), end] };
}

/** What a link looks like and is called. */
function describe(link) {
  const between = link.directed ? `${link.a} to ${link.b}` : `${link.a} and ${link.b}`;
  return `${between}, ${link.said ?? (link.directed ? "directed" : "direction open")}`;
}

export class GraphView {
  /**
   * A picture of a graph. `label` is its name for those who listen; `onlink(link)` is called when one is chosen, and
   * `onnode(name)` for a box.
   */
  constructor({ label, onlink = null, onnode = null }) {
    this.onlink = onlink;
    this.onnode = onnode;
    this.zoom = null;
    this.links = new Map();
    this.nodes = new Map();
    this.selected = null;
    this.cameFrom = null;
    this.label = label;
    this.sheet = svg("svg", { class: "graph", role: "group", "aria-label": label, "aria-roledescription": "graph" });
    this.frame = el("div", { class: "graph-frame", "data-scroll": label }, this.sheet);
    this.element = el(
      "div",
      { class: "graph-box" },
      this.frame,
      el(
        "div",
        { class: "graph-tools", role: "group", "aria-label": "Size of the picture" },
        button("−", () => this.resize(this.zoom / 1.25), { class: "tool", "aria-label": "Smaller" }),
        button("Fit", () => this.fit(), { class: "tool", "aria-label": "Fit the picture into its frame" }),
        button("+", () => this.resize(this.zoom * 1.25), { class: "tool", "aria-label": "Larger" }),
      ),
    );
    this.sheet.addEventListener("keydown", (event) => this.#key(event));
    this.frame.addEventListener(
      "wheel",
      (event) => {
        if (!event.ctrlKey && !event.metaKey) return;
        event.preventDefault();
        this.resize(this.zoom * Math.exp(-event.deltaY / 300));
      },
      { passive: false },
    );
    this.#drag();
  }

  /** Draw a layout; links have `a`, `b`, `directed`, and what `paint` reads. */
  show(layout, links) {
    const same = this.layout && JSON.stringify(this.layout.nodes) === JSON.stringify(layout.nodes);
    this.layout = layout;
    this.links.clear();
    this.nodes.clear();
    const focused =
      document.activeElement?.closest?.(".graph") === this.sheet ? document.activeElement.dataset.key : null;
    const given = new Map(links.map((link) => [pairKey(link.a, link.b), link]));
    const [lines, boxes] = [svg("g", { class: "links" }), svg("g", { class: "nodes" })];
    for (const edge of layout.edges) {
      const key = pairKey(edge.a, edge.b);
      const link = given.get(key);
      if (link) lines.append(this.#line(key, edge, link));
    }
    for (const node of layout.nodes) boxes.append(this.#box(node));
    this.sheet.replaceChildren(lines, boxes);
    this.sheet.setAttribute(
      "viewBox",
      `${-MARGIN} ${-MARGIN} ${layout.width + 2 * MARGIN} ${layout.height + 2 * MARGIN}`,
    );
    this.nodes.values().next().value?.group.setAttribute("tabindex", "0");
    if (same && this.zoom) this.resize(this.zoom, false);
    else requestAnimationFrame(() => this.fit());
    for (const link of links) this.paint(link);
    requestAnimationFrame(() => this.#shrink());
    if (focused) this.#focus([...this.sheet.querySelectorAll("[data-key]")].find((one) => one.dataset.key === focused));
    if (this.selected) this.select(this.selected);
  }

  #line(key, edge, link) {
    const head = svg("polygon", { class: "head" });
    const line = svg("path", { class: "line" });
    const hit = svg("path", { class: "hit", d: curve(edge.points) });
    const [x, y] = middleOf(edge.points);
    const badge = svg(
      "g",
      { class: "badge", transform: `translate(${x} ${y})` },
      svg("circle", { r: 60 }),
      svg("text", { dy: 32 }),
    );
    const choosable = Boolean(this.onlink);
    const group = svg(
      "g",
      {
        class: "link",
        "data-key": `link ${key}`,
        tabindex: choosable ? "-1" : null,
        role: choosable ? "button" : "img",
      },
      hit,
      line,
      head,
      badge,
    );
    this.links.set(key, { group, line, head, badge, edge, link });
    if (choosable) {
      group.addEventListener("click", () => {
        this.#focus(group);
        this.onlink(this.links.get(key).link);
      });
    }
    return group;
  }

  #box(node) {
    const lines = node.lines ?? [node.name];
    const group = svg(
      "g",
      {
        class: "node",
        "data-key": `node ${node.name}`,
        tabindex: "-1",
        role: this.onnode ? "button" : "img",
        "aria-label": node.name,
      },
      svg("title", {}, node.name),
      svg("rect", {
        x: node.x - node.width / 2,
        y: node.y - node.height / 2,
        width: node.width,
        height: node.height,
        rx: 60,
      }),
      lines.map((line, i) =>
        svg("text", { x: node.x, y: node.y + ((2 * i - lines.length + 1) * LINE) / 2 + 35 }, line),
      ),
    );
    this.nodes.set(node.name, { group, node });
    if (this.onnode) group.addEventListener("click", () => this.onnode(node.name));
    return group;
  }

  /** Texts that the fonts of this machine make wider than their boxes are squeezed. */
  #shrink() {
    for (const { group, node } of this.nodes.values()) {
      for (const text of group.querySelectorAll("text")) {
        if (text.getComputedTextLength() > node.width - 60) {
          text.setAttribute("textLength", node.width - 60);
          text.setAttribute("lengthAdjust", "spacingAndGlyphs");
        }
      }
    }
  }

  /** Show a link as it is now: its direction, and the classes that give it colour. */
  paint(link) {
    const shown = this.links.get(pairKey(link.a, link.b));
    if (!shown) return;
    shown.link = link;
    const { edge, line, head, group, badge } = shown;
    const points = link.a === edge.a ? edge.points : [...edge.points].reverse();
    if (link.directed) {
      const drawn = headed(points, link.width ? 0.7 + 0.3 * link.width : 1);
      line.setAttribute("d", curve(drawn.points));
      head.setAttribute("points", drawn.corners);
    } else {
      line.setAttribute("d", curve(points));
      head.setAttribute("points", "");
    }
    line.style.strokeWidth = link.width ? 13 * link.width : "";
    const region = link.region ?? null;
    badge.lastChild.textContent = region === null ? "" : String(region + 1);
    const classes = ["link", link.directed ? "directed" : "open"];
    if (region !== null) classes.push("in-region", `region-${region % REGIONS}`);
    if (link.undecided) classes.push("undecided");
    if (link.by_hand) classes.push("by-hand");
    if (link.follows) classes.push("follows");
    if (link.class) classes.push(`is-${link.class}`);
    if (group.classList.contains("weak")) classes.push("weak");
    if (this.selected === pairKey(link.a, link.b)) classes.push("selected");
    group.setAttribute("class", classes.join(" "));
    group.setAttribute("aria-label", describe(link));
  }

  /** Hide the links for which `weak(link)` holds; nothing moves. Hidden ones cannot be reached by keys either. */
  hide(weak) {
    let hidden = 0;
    for (const { group, link } of this.links.values()) {
      const off = weak(link);
      if (off) hidden += 1;
      if (off !== group.classList.contains("weak")) {
        group.classList.toggle("weak", off);
        group.setAttribute("aria-hidden", String(off));
      }
    }
    return hidden;
  }

  /** Mark a link by its key, or none. */
  select(key) {
    if (this.selected) this.links.get(this.selected)?.group.classList.remove("selected");
    this.selected = key;
    const shown = key ? this.links.get(key) : null;
    shown?.group.classList.add("selected");
    if (shown) shown.group.parentNode.append(shown.group);
    for (const { group, node } of this.nodes.values()) {
      group.classList.toggle("touched", Boolean(shown && (node.name === shown.edge.a || node.name === shown.edge.b)));
    }
  }

  fit() {
    if (!this.layout) return;
    const room = this.frame.clientWidth - 4;
    const full = (this.layout.width + 2 * MARGIN) * PIXELS;
    const high = (this.layout.height + 2 * MARGIN) * PIXELS;
    if (room <= 0) return;
    const tall = Math.max(320, Math.min(innerHeight * 0.72, 760));
    this.resize(Math.max(0.7, Math.min(1.15, room / full, Math.max(tall / high, 0.7))));
  }

  resize(zoom, keepMiddle = true) {
    const bounded = Math.max(0.2, Math.min(4, zoom));
    const { frame } = this;
    const middle = [
      (frame.scrollLeft + frame.clientWidth / 2) / (this.zoom ?? bounded),
      (frame.scrollTop + frame.clientHeight / 2) / (this.zoom ?? bounded),
    ];
    this.zoom = bounded;
    this.sheet.setAttribute("width", Math.round((this.layout.width + 2 * MARGIN) * PIXELS * bounded));
    this.sheet.setAttribute("height", Math.round((this.layout.height + 2 * MARGIN) * PIXELS * bounded));
    if (keepMiddle) {
      frame.scrollLeft = middle[0] * bounded - frame.clientWidth / 2;
      frame.scrollTop = middle[1] * bounded - frame.clientHeight / 2;
    }
  }

  #drag() {
    let from = null;
    this.frame.addEventListener("pointerdown", (event) => {
      if (event.pointerType !== "mouse" || event.button !== 0 || event.target.closest(".node, .link")) return;
      from = [event.clientX, event.clientY, this.frame.scrollLeft, this.frame.scrollTop];
      this.frame.setPointerCapture(event.pointerId);
      this.frame.classList.add("dragging");
    });
    this.frame.addEventListener("pointermove", (event) => {
      if (!from) return;
      this.frame.scrollLeft = from[2] + from[0] - event.clientX;
      this.frame.scrollTop = from[3] + from[1] - event.clientY;
    });
    const stop = () => {
      from = null;
      this.frame.classList.remove("dragging");
    };
    this.frame.addEventListener("pointerup", stop);
    this.frame.addEventListener("pointercancel", stop);
  }

  #focus(group) {
    if (!group) return;
    this.sheet.querySelector('[tabindex="0"]')?.setAttribute("tabindex", "-1");
    group.setAttribute("tabindex", "0");
    group.focus({ preventScroll: true });
    group.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  /** Links of a box that can be seen, from left to right, those that leave it upwards or downwards. */
  #around(name, down) {
    const here = this.nodes.get(name).node;
    return [...this.links.values()]
      .filter(({ edge, group }) => (edge.a === name || edge.b === name) && !group.classList.contains("weak"))
      .map((shown) => ({ shown, other: this.nodes.get(shown.edge.a === name ? shown.edge.b : shown.edge.a).node }))
      .filter(({ other }) => (down === null ? true : down ? other.y >= here.y : other.y < here.y))
      .sort((one, two) => one.other.x - two.other.x)
      .map(({ shown }) => shown);
  }

  #key(event) {
    const target = event.target.closest(".node, .link");
    if (!target) return;
    const done = () => {
      event.preventDefault();
      event.stopPropagation();
    };
    if (event.key === "+" || event.key === "-" || event.key === "0") {
      done();
      if (event.key === "0") this.fit();
      else this.resize(this.zoom * (event.key === "+" ? 1.25 : 0.8));
      return;
    }
    if (event.key === "Enter" || event.key === " ") {
      done();
      target.dispatchEvent(new MouseEvent("click", { bubbles: true, shiftKey: event.shiftKey }));
      return;
    }
    const nodes = [...this.nodes.values()].sort((one, two) => one.node.y - two.node.y || one.node.x - two.node.x);
    if (event.key === "Home" || event.key === "End") {
      done();
      this.#focus((event.key === "Home" ? nodes[0] : nodes.at(-1)).group);
      return;
    }
    if (!event.key.startsWith("Arrow")) return;
    done();
    const sideways = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (target.classList.contains("node")) {
      const at = nodes.findIndex(({ group }) => group === target);
      const name = nodes[at].node.name;
      if (sideways) {
        this.#focus(nodes[(at + sideways + nodes.length) % nodes.length].group);
        return;
      }
      const ways = this.#around(name, event.key === "ArrowDown");
      this.cameFrom = name;
      if (ways.length && this.onlink) this.#focus(ways[0].group);
      else if (ways.length)
        this.#focus(this.nodes.get(ways[0].edge.a === name ? ways[0].edge.b : ways[0].edge.a).group);
      return;
    }
    const shown = [...this.links.values()].find(({ group }) => group === target);
    const ends = [shown.edge.a, shown.edge.b]
      .map((name) => this.nodes.get(name))
      .sort((one, two) => one.node.y - two.node.y);
    if (!sideways) {
      this.#focus(ends[event.key === "ArrowDown" ? 1 : 0].group);
      return;
    }
    const from = ends.find(({ node }) => node.name === this.cameFrom) ?? ends[0];
    const ways = this.#around(from.node.name, null);
    const at = ways.indexOf(shown);
    this.#focus(ways[(at + sideways + ways.length) % ways.length].group);
  }
}

function middleOf(points) {
  if (points.length % 2) return points[(points.length - 1) / 2];
  const [one, two] = [points[points.length / 2 - 1], points[points.length / 2]];
  return [(one[0] + two[0]) / 2, (one[1] + two[1]) / 2];
}

/** Return the explanation of colours below a picture: [class, text] for each kind of line. */
export function legend(entries) {
  return el(
    "ul",
    { class: "legend" },
    entries.map(([kind, text]) =>
      el(
        "li",
        {},
        svg(
          "svg",
          { class: "graph sample", width: 44, height: 12, viewBox: "0 0 330 90", "aria-hidden": "true" },
          svg(
            "g",
            { class: `link ${kind}` },
            svg("path", { class: "line", d: kind.includes("directed") ? "M0 45L265 45" : "M0 45L330 45" }),
            kind.includes("directed") && svg("polygon", { class: "head", points: "330,45 248,9 248,81" }),
          ),
        ),
        text,
      ),
    ),
  );
}
