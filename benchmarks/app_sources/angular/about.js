import { Component } from "@angular/core";
export const page = (text) => Component({ selector: "a-about", template: `<p>${text}</p>` })(class {});
