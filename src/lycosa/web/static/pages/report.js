import { get, own, raw, save, send, trying } from "../api.js";
import { find } from "../dom.js";
import { ago } from "../format.js";
import { makingButton } from "../making.js";
import { watchState } from "../state.js";

// The report is a document of ours, with all text of others escaped. Its markup is parsed without
// running anything, and shown with a style of its own, apart from this page.
const policy = window.trustedTypes?.createPolicy("lycosa-report", { createHTML: (text) => text });

async function showReport() {
  const text = await (await raw("GET", own("/report/document"))).text();
  const [, style = ""] = text.match(/<style>([^<]*)<\/style>/) ?? [];
  const markup = text.replace(/<style>[^<]*<\/style>/, "");
  const parsed = new DOMParser().parseFromString(policy ? policy.createHTML(markup) : markup, "text/html");
  const place = find("#report");
  const root = place.shadowRoot ?? place.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style.replaceAll(":root", ":host").replaceAll(/(^|[\s},])(html|body)\b(?=[^{}]*\{)/g, "$1.$2"));
  root.adoptedStyleSheets = [sheet];
  const html = document.createElement("div"), body = document.createElement("div");
  html.className = "html";
  body.className = "body";
  body.append(...[...parsed.body.children].filter((one) => !["SCRIPT", "STYLE"].includes(one.tagName)));
  html.append(body);
  root.replaceChildren(html);
  for (const link of root.querySelectorAll("a[href^='#']")) link.addEventListener("click", (event) => { event.preventDefault(); root.getElementById(link.getAttribute("href").slice(1))?.scrollIntoView(); });
  for (const link of root.querySelectorAll("a[href^='data/']")) link.removeAttribute("href");
  place.hidden = false;
}

let shownAt = null;
async function look() {
  const found = await trying(() => get(own("/report")));
  if (!found) return;
  const about = { none: "There is no report yet.", making: "The report is being made …", failed: found.problem, ready: found.is_current ? `Made ${ago(found.made)}.` : `Made ${ago(found.made)}; the crawl has gone on since.` };
  find("#about").textContent = about[found.state];
  find("#make").disabled = found.state === "making";
  find("#make").textContent = found.made ? "Make it again" : "Make the report";
  find("#save").hidden = !found.made;
  if (found.made && found.made !== shownAt) {
    shownAt = found.made;
    await trying(showReport);
  }
  if (found.state === "making") setTimeout(look, 1000);
}

find("#make").addEventListener("click", () => trying(async () => { await send("POST", own("/report")); await look(); }));
find("#save").addEventListener("click", () => trying(async () => save("report.html", await raw("GET", own("/report/document")))));
look();
makingButton("study", "#study", { first: "Study", again: "Study again" });
watchState();
