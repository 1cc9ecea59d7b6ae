import { compile } from "svelte/compiler";
import { readFileSync, writeFileSync } from "fs";
for (const name of ["app", "about"]) {
  const source = readFileSync(`${name}.svelte`, "utf8");
  writeFileSync(`${name}.svelte.js`, compile(source, { generate: "client", css: "injected" }).js.code);
}
writeFileSync("app.js", `import { mount } from "svelte"; import App from "./app.svelte.js";
  mount(App, { target: document.getElementById("root") });`);
