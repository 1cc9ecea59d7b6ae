import "zone.js";
import "@angular/compiler";
import { Component, inject } from "@angular/core";
import { bootstrapApplication } from "@angular/platform-browser";
import { ActivatedRoute, provideRouter, Router, RouterLink, RouterOutlet } from "@angular/router";
const names = NAMES, places = PLACES;
const shows = (path) => Component({ selector: "a-page", template: `<p>${places[path]}</p>` })(class {});
const Guide = Component({ selector: "a-guide", template: "<h1>{{ name }}</h1><pre>{{ text }}</pre>" })(class {
  name = ""; text = "";
  constructor() { inject(ActivatedRoute).params.subscribe(async ({ name }) => { this.name = name;
    fetch(`/content/${name}.md`).then((r) => r.text()).then((text) => { this.text = text; }); }); }
});
const List = Component({ selector: "a-list", imports: [RouterLink], template:
  `<p>${places["/guides"]}</p>@for (n of names; track n) {<p><a [routerLink]="['/guides', n]">{{ n }}</a></p>}`
})(class { names = names; });
const Frame = Component({ selector: "app-root", imports: [RouterLink, RouterOutlet], template:
  `<nav><a routerLink="/">Home</a> <a routerLink="/guides">Guides</a> <a routerLink="/about">About</a>
  <button (click)="contact()">Contact</button></nav><router-outlet />` })(class {
  router = inject(Router); contact() { this.router.navigateByUrl("/contact"); } });
bootstrapApplication(Frame, { providers: [provideRouter([
  { path: "", pathMatch: "full", component: shows("/") }, { path: "guides", component: List },
  { path: "guides/:name", component: Guide }, { path: "contact", component: shows("/contact") },
  { path: "about", loadComponent: () => import("./about.js").then((found) => found.page(places["/about"])) },
])] });
