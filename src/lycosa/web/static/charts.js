// Curves over time, bars, and the web of hosts.

import { h, svg } from "./dom.js";
import { count, words } from "./format.js";

const WIDTH = 520, HEIGHT = 130, LEFT = 44, BOTTOM = 18;

function nice(value) {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 2.5, 5, 10].map((one) => one * power).find((one) => one >= value);
}

// `series` are lists of [seconds, value]; all share one scale.
export function curves(label, series, isFilled) {
  const all = series.flat();
  const last = Math.max(...all.map(([x]) => x), 0), first = Math.min(...all.map(([x]) => x), last - 30);
  const top = nice(Math.max(...all.map(([, y]) => y), 0));
  const x = (value) => LEFT + ((value - first) / (last - first || 1)) * (WIDTH - LEFT - 4);
  const y = (value) => 8 + (1 - value / top) * (HEIGHT - BOTTOM - 8);
  const parts = [0, top / 2, top].flatMap((value) => [
    svg("line", { class: "axis", x1: LEFT, x2: WIDTH - 4, y1: y(value), y2: y(value) }),
    svg("text", { class: "tick", x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, value >= 10_000 ? `${Math.round(value / 1000)}k` : String(Math.round(value * 100) / 100)),
  ]);
  parts.push(svg("text", { class: "tick", x: LEFT, y: HEIGHT - 3 }, `${Math.round(last - first)} s ago`),
    svg("text", { class: "tick", x: WIDTH - 4, y: HEIGHT - 3, "text-anchor": "end" }, "now"));
  series.forEach((points, place) => {
    if (!points.length) return;
    const way = points.map(([at, value], number) => `${number ? "L" : "M"}${x(at).toFixed(1)} ${y(value).toFixed(1)}`).join("");
    if (isFilled && !place) parts.push(svg("path", { class: "area", d: `${way}L${x(points.at(-1)[0])} ${y(0)}L${x(points[0][0])} ${y(0)}Z` }));
    parts.push(svg("path", { class: place ? "line second" : "line", d: way }));
  });
  return svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label }, parts);
}

// `leads` gives the address of the list behind a bar.
export function bars(counts, main = "kept", leads = null) {
  const rows = Object.entries(counts).sort((a, b) => b[1] - a[1]);
  const most = Math.max(...rows.map(([, value]) => value), 1);
  if (!rows.length) return h("p", { class: "help" }, "Nothing yet.");
  return h("div", { class: "bars" }, rows.map(([name, value]) => {
    const bar = h("i", { class: name === main ? null : "other" });
    bar.style.width = `${(100 * value) / most}%`;
    return [leads ? h("a", { href: leads(name) }, words(name)) : h("span", {}, words(name)), bar, h("b", {}, count(value))];
  }));
}

// Each limit with the command that raises it, or names what it has left out.
export function leftOut(rows, heading = "h3") {
  if (!rows.length) return null;
  const most = Math.max(...rows.map((one) => one.number));
  return [h(heading, {}, "Left out by limits"), h("ul", { class: "list left-out" }, rows.map((one) => {
    const bar = h("i", { class: "other" });
    bar.style.width = `${(100 * one.number) / most}%`;
    return h("li", {}, h("span", {}, one.text), h("div", { class: "bars" }, bar), h("code", {}, one.command));
  }))];
}

// The web: hosts wait at its edge and come to the middle when they are asked.
export const PHASES = {
  taken: "being asked", awake: "can be asked", queued: "share a busy address", resolving: "name is looked up",
  waiting: "in their pause", idle: "nothing to do", closed: "closed",
};
const RINGS = { taken: 14, awake: 46, queued: 76, resolving: 104, waiting: 136, idle: 172, closed: 190 };
const MOST_DOTS = 260, GOLDEN = Math.PI * (3 - Math.sqrt(5));

export class HostWeb {
  constructor(place) {
    this.dots = [];
    this.layer = svg("g");
    this.title = svg("title", {}, "Hosts by phase");
    place.replaceChildren(svg("svg", { viewBox: "-200 -200 400 400", role: "img", "aria-label": "Hosts by phase; the list beside it has the numbers" },
      this.title, threads(), this.layer));
  }

  show(hosts) {
    const total = Object.values(hosts).reduce((sum, one) => sum + one, 0);
    const each = Math.max(1, Math.ceil(total / MOST_DOTS));
    const wanted = Object.fromEntries(Object.keys(RINGS).map((name) => [name, Math.ceil((hosts[name] ?? 0) / each)]));
    const free = [];
    for (const dot of this.dots) {
      if (wanted[dot.phase] > 0) wanted[dot.phase] -= 1;
      else free.push(dot);
    }
    for (const [phase, missing] of Object.entries(wanted)) {
      for (let number = 0; number < missing; number += 1) this.move(free.pop() ?? this.added(), phase);
    }
    for (const dot of free) {
      dot.element.remove();
      this.dots.splice(this.dots.indexOf(dot), 1);
    }
    return each;
  }

  added() {
    const number = this.dots.length + 1;
    const dot = { element: svg("circle", { r: 4 }), angle: number * GOLDEN, spread: ((number * 7919) % 100) / 100 - 0.5, phase: "" };
    this.dots.push(dot);
    this.layer.append(dot.element);
    return dot;
  }

  move(dot, phase) {
    dot.phase = phase;
    const radius = RINGS[phase] + dot.spread * (phase === "taken" ? 18 : 22);
    dot.element.setAttribute("class", `dot ${phase}`);
    dot.element.style.transform = `translate(${(Math.cos(dot.angle) * radius).toFixed(1)}px, ${(Math.sin(dot.angle) * radius).toFixed(1)}px)`;
  }
}

function threads() {
  const spokes = 14, parts = [];
  const at = (angle, radius) => `${(Math.cos(angle) * radius).toFixed(1)} ${(Math.sin(angle) * radius).toFixed(1)}`;
  for (let spoke = 0; spoke < spokes; spoke += 1) {
    const angle = (spoke / spokes) * 2 * Math.PI;
    parts.push(svg("path", { class: "thread", d: `M0 0L${at(angle, 196)}` }));
  }
  for (let radius = 22; radius < 196; radius += 17) {
    let way = "";
    for (let spoke = 0; spoke <= spokes; spoke += 1) {
      const angle = (spoke / spokes) * 2 * Math.PI, middle = angle - Math.PI / spokes;
      way += spoke ? `Q${at(middle, radius * 0.9)} ${at(angle, radius)}` : `M${at(angle, radius)}`;
    }
    parts.push(svg("path", { class: "thread", d: way }));
  }
  return svg("g", {}, parts);
}
