import { createApp, ref, watch } from "vue/dist/vue.esm-bundler.js";
import { createRouter, createWebHistory, useRoute } from "vue-router";
const names = NAMES, places = PLACES;
const shows = (path) => ({ template: `<p>${places[path]}</p>` });
const Guide = { template: "<article><h1>{{ name }}</h1><pre>{{ text }}</pre></article>", setup() {
  const route = useRoute(), text = ref(""), name = ref("");
  const load = async (one) => { if (!one) return; name.value = one;
    text.value = await (await fetch(`/content/${one}.md`)).text(); };
  watch(() => route.params.name, load, { immediate: true });
  return { text, name };
} };
const List = { setup: () => ({ names, say: places["/guides"] }), template:
  "<div><p>{{ say }}</p><p v-for='n in names'><RouterLink :to=\"'/guides/' + n\">{{ n }}</RouterLink></p></div>" };
const router = createRouter({ history: createWebHistory(), routes: [
  { path: "/", component: shows("/") }, { path: "/guides", component: List },
  { path: "/guides/:name", component: Guide }, { path: "/contact", component: shows("/contact") },
  { path: "/about", component: () => import("./about.js").then((found) => found.page(places["/about"])) } ] });
createApp({ template: `<nav><RouterLink to="/">Home</RouterLink> <RouterLink to="/guides">Guides</RouterLink>
  <RouterLink to="/about">About</RouterLink> <button @click="$router.push('/contact')">Contact</button></nav>
  <RouterView />` }).use(router).mount("#root");
