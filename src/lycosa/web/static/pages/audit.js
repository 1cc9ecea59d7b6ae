import { get, own, trying } from "../api.js";
import { find, h, show } from "../dom.js";
import { count } from "../format.js";
import { watchState } from "../state.js";

const list = (items) => h("ul", { class: "list" }, items.map((one) => h("li", {}, h("bdi", {}, one))));

async function look() {
  show(find("#audit"), h("p", { class: "help" }, "Checking every request …"));
  const found = await trying(() => get(own("/audit")));
  if (!found) return show(find("#audit"));
  show(find("#audit"),
    h("p", { class: `verdict ${found.is_clean ? "good" : "bad"}` }, found.is_clean ? `Clean: ${count(found.requests)} requests kept every rule.` : `${count(found.breaches.length)} breaches in ${count(found.requests)} requests.`),
    found.breaches.length ? h("section", { class: "card" }, h("h2", {}, "Breaches"), list(found.breaches)) : null,
    found.not_judged.length ? h("section", { class: "card" }, h("h2", {}, "Not judged"), list(found.not_judged)) : null,
    h("section", { class: "card" }, h("h2", {}, "The rules"), list(found.rules), found.closest ? [h("h3", {}, "The pause with least to spare"), h("p", { class: "help" }, h("bdi", {}, found.closest))] : null));
}

find("#again").addEventListener("click", look);
look();
watchState();
