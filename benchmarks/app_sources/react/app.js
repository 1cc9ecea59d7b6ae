import React, { lazy, Suspense, useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import { createBrowserRouter, RouterProvider, Link, Outlet, useParams, useNavigate } from "react-router";
const About = lazy(() => import("./about.js"));
const names = NAMES, places = PLACES;
function Frame() {
  const go = useNavigate();
  return <main><nav><Link to="/">Home</Link> <Link to="/guides">Guides</Link> <Link to="/about">About</Link>
    <button onClick={() => go("/contact")}>Contact</button></nav><Outlet /></main>;
}
function Guide() {
  const { name } = useParams(), [text, setText] = useState("");
  useEffect(() => { fetch("/content/" + name + ".md").then((r) => r.text()).then(setText); }, [name]);
  return <article><h1>{name}</h1><pre>{text}</pre></article>;
}
const List = () => <div><p>{places["/guides"]}</p>{names.map((n) => <p key={n}><Link to={"/guides/" + n}>{n}</Link></p>)}</div>;
const router = createBrowserRouter([{ path: "/", element: <Frame />, children: [
  { index: true, element: <p>{places["/"]}</p> }, { path: "guides", element: <List /> },
  { path: "guides/:name", element: <Guide /> }, { path: "contact", element: <p>{places["/contact"]}</p> },
  { path: "about", element: <Suspense fallback="…"><About text={places["/about"]} /></Suspense> } ] }]);
createRoot(document.getElementById("root")).render(<RouterProvider router={router} />);
