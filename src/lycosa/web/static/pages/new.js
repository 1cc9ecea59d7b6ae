import { page, send, trying } from "../api.js";
import { find, h, show, table } from "../dom.js";

const form = find("form#new");
const lines = (name) => form.elements[name].value.split("\n").map((one) => one.trim()).filter(Boolean);
const scope = () => ({ seeds: lines("seeds"), include: lines("include"), exclude: lines("exclude") });

function showRecipe() {
  for (const one of document.querySelectorAll("[data-recipe]")) one.hidden = one.dataset.recipe !== form.elements.recipe.value;
}
form.elements.recipe.addEventListener("change", showRecipe);
showRecipe(); // a browser may have kept what was chosen before

find("#preview").addEventListener("click", () => trying(async () => {
  const found = await send("POST", "/scope", { ...scope(), urls: lines("urls") });
  show(find("#previewed"), h("h2", {}, "What the crawl would do"), table("Preview of the scope", [
    { title: "URL", kind: "url", cell: (one) => one.url },
    { title: "Wanted", cell: (one) => h("span", { class: one.is_wanted ? "wanted" : "unwanted" }, one.is_wanted ? "yes" : "no") },
    { title: "Why", cell: (one) => one.why },
  ], found.urls));
}));

form.addEventListener("submit", (event) => {
  event.preventDefault();
  trying(async () => {
    const pages = form.elements.max_pages.value;
    const made = await send("POST", "/crawls", {
      name: form.elements.name.value, contact: form.elements.contact.value, recipe: form.elements.recipe.value, ...scope(), max_pages: pages ? Number(pages) : null,
    });
    location.assign(page("now", {}, made.name));
  });
});
