import { get, own, trying } from "../api.js";
import { find, h, show } from "../dom.js";
import { count } from "../format.js";
import { watchState } from "../state.js";

const url = (text) => h("bdi", {}, text);

function finding(one) {
  const parts = [url(one.url)];
  if (one.target_url) parts.push(" → ", url(one.target_url));
  if (one.text) parts.push(" “", h("bdi", {}, one.text), "”");
  if (one.detail) parts.push(" · ", h("bdi", {}, one.detail));
  return h("li", {}, parts, one.hops.length ? h("div", { class: "help" }, one.hops.map((hop, place) => [place ? " → " : "", url(hop)])) : null);
}

function card(check) {
  const more = check.count - check.findings.length;
  return h("section", { class: "card" },
    h("h2", {}, `${check.title} (${count(check.count)})`),
    h("p", { class: "help" }, `${check.severity} · ${check.meaning} ${check.mend}`),
    h("ul", { class: "list" }, check.findings.map(finding)),
    more ? h("p", { class: "help" }, `${count(more)} more: lycosa check-site --only ${check.name} --all`) : null);
}

async function look() {
  show(find("#checks"), h("p", { class: "help" }, "Checking the site …"));
  const found = await trying(() => get(own("/checks")));
  if (!found) return show(find("#checks"));
  const has = found.findings > 0;
  show(find("#checks"),
    h("p", { class: `verdict ${has ? "bad" : "good"}` }, has ? `${count(found.findings)} findings on ${count(found.pages)} pages.` : `Nothing found on ${count(found.pages)} pages.`),
    found.checks.map(card));
}

find("#again").addEventListener("click", look);
look();
watchState();
