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

// The folder gets the name of the first seed's host, until another one is typed.
let isNamed = false;
form.elements.name.addEventListener("input", () => { isNamed = form.elements.name.value !== ""; });
form.elements.seeds.addEventListener("input", () => {
  if (isNamed) return;
  const [first = ""] = lines("seeds");
  const { hostname = "" } = URL.parse?.(first.includes("://") ? first : `https://${first}`) ?? {};
  form.elements.name.value = hostname.replace(/^www\./, "").replace(/[^A-Za-z0-9._-]/g, "").slice(0, 64);
});

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
    const number = (name) => (form.elements[name].value === "" ? null : Number(form.elements[name].value));
    const made = await send("POST", "/crawls", {
      name: form.elements.name.value, contact: form.elements.contact.value, recipe: form.elements.recipe.value, ...scope(), max_pages: number("max_pages"), depth: number("depth"), delay_seconds: number("delay_seconds"),
    });
    location.assign(page("now", {}, made.name));
  });
});
