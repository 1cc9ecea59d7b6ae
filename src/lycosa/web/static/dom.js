// Builds elements. Text only ever becomes text nodes, so nothing that a page says can be markup.

const SVG = "http://www.w3.org/2000/svg";

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(3)) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
  return element;
}

export const h = (tag, attributes, ...children) => filled(document.createElement(tag), attributes, children);
export const svg = (tag, attributes, ...children) => filled(document.createElementNS(SVG, tag), attributes, children);
export const find = (selector) => document.querySelector(selector);

export function show(place, ...children) {
  place.replaceChildren(...children.flat(3).filter((one) => one !== null && one !== undefined && one !== false));
  place.removeAttribute("aria-busy");
}

// A table that scrolls by itself where it is too wide, also by keyboard.
export function table(label, columns, rows) {
  const head = columns.map((one) => h("th", { scope: "col", class: one.right ? "r" : null, "aria-sort": one.sorted ?? null },
    one.sort ? h("button", { type: "button", onclick: one.sort }, one.title) : one.title));
  const body = rows.map((row) => h("tr", {}, columns.map((one) => h("td", { class: one.kind ?? (one.right ? "r" : null) }, one.cell(row)))));
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label },
    h("table", {}, h("thead", {}, h("tr", {}, head)), h("tbody", {}, body)));
}

export function notice(text, isBad = false) {
  const place = find("#notice");
  place.textContent = text;
  place.classList.toggle("bad", isBad);
}

// Asks the user; resolves to whether the answer is yes.
export function confirmed(title, text, yes) {
  const dialog = find("#confirm");
  find("#confirm-title").textContent = title;
  find("#confirm-text").textContent = text;
  find("#confirm-yes").textContent = yes;
  dialog.returnValue = "no";
  dialog.showModal();
  return new Promise((resolve) => dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true }));
}
