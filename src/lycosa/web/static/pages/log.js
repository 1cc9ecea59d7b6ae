import { get, own, trying } from "../api.js";
import { find, h, show } from "../dom.js";
import { count, size } from "../format.js";
import { watchState } from "../state.js";

const form = find("#filter");
let lines = [], last = -1;

function draw() {
  const wanted = form.elements.filter.value.toLowerCase();
  const kept = lines.filter((one) => one.toLowerCase().includes(wanted));
  const place = find("#log");
  const isAtEnd = place.scrollTop + place.clientHeight >= place.scrollHeight - 30;
  show(place, kept.map((one) => h("span", { class: /^\S+ (ERROR|CRITICAL)/.test(one) ? "error" : /^\S+ WARNING/.test(one) ? "warning" : null }, `${one}\n`)));
  if (isAtEnd || last < 0) place.scrollTop = place.scrollHeight;
  find("#count").textContent = `${count(kept.length)} of the last ${count(lines.length)} lines`;
}

async function look() {
  const found = await trying(() => get(own("/log?lines=500")));
  if (found && found.size_bytes !== last) {
    lines = found.lines;
    draw();
    last = found.size_bytes;
    find("#count").textContent += ` · ${size(found.size_bytes)} in all`;
  }
}

form.addEventListener("submit", (event) => event.preventDefault());
form.elements.filter.addEventListener("input", draw);
setInterval(() => { if (form.elements.follow.checked && !document.hidden) look(); }, 2000);
look();
watchState();
