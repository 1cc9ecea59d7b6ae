"""The style sheet of the report, for telephone, screen and paper."""

from __future__ import annotations

_SANS = (
    '-apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Liberation Sans", Arial, system-ui,'
    " sans-serif"
)
_SERIF = (
    'Charter, "Bitstream Charter", "Iowan Old Style", "Source Serif 4", "Source Serif Pro",'
    ' Georgia, Cambria, "Liberation Serif", serif'
)
_MONO = 'ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace'

STYLE = f"""
:root {{ color-scheme: light; --ink: #1a1a1a; --soft: #5c5c5c; --line: #d4d4d4; --link: #005a8e; }}
* {{ box-sizing: border-box; }}
html {{ font: 17px/1.55 {_SERIF}; color: var(--ink); background: #fff;
  -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }}
body {{ margin: 0; overflow-wrap: break-word; }}
a {{ color: var(--link); text-decoration-thickness: 1px; text-underline-offset: 2px; }}
h1, h2, h3, nav, figcaption, table, .caption, .scale, .facts, footer {{ font-family: {_SANS}; }}
h1 {{ font-size: 2rem; line-height: 1.2; margin: 0 0 .35rem; letter-spacing: -.01em; }}
h2 {{ font-size: 1.45rem; line-height: 1.25; margin: 3.5rem 0 .5rem; padding-top: 1rem;
  border-top: 2px solid var(--ink); }}
h3 {{ font-size: 1.08rem; line-height: 1.3; margin: 2.4rem 0 .4rem; }}
h2 .n, h3 .n {{ color: var(--soft); font-weight: 400; margin-right: .5em; }}
p {{ margin: 0 0 1rem; }}
header, nav, main {{ max-width: 712px; margin: 0 auto; padding: 0 16px; }}
header {{ padding-top: 2.5rem; }}
main {{ padding-bottom: 4rem; }}
.kicker {{ font: 600 .8rem/1.4 {_SANS}; color: var(--soft); margin: 0 0 .6rem; }}
.lead {{ font-size: 1.1rem; color: var(--soft); margin-bottom: 1.6rem; }}
.scale {{ display: grid; grid-template-columns: repeat(auto-fit, minmax(6.6rem, 1fr));
  gap: .9rem 1.2rem; margin: 0 0 1.6rem; padding: 1rem 0; border: solid var(--line);
  border-width: 1px 0; }}
.scale div {{ display: flex; flex-direction: column-reverse; justify-content: flex-end; }}
.scale dt {{ font-size: .78rem; line-height: 1.3; color: var(--soft); }}
.scale dd {{ margin: 0; font-size: 1.45rem; line-height: 1.25; font-weight: 600;
  font-variant-numeric: tabular-nums; white-space: nowrap; }}
.facts {{ font-size: .86rem; line-height: 1.5; margin: 0 0 2rem; }}
.facts div {{ display: grid; grid-template-columns: 7rem minmax(0, 1fr); gap: .2rem 1rem;
  padding: .3rem 0; border-bottom: 1px solid #eee; }}
.facts dt {{ color: var(--soft); }}
.facts dd {{ margin: 0; grid-column: 2; overflow-wrap: anywhere; }}
nav {{ font-size: .86rem; line-height: 1.45; }}
nav h2 {{ font-size: .86rem; border: 0; margin: 0 0 .5rem; padding: 0; }}
nav ol {{ list-style: none; margin: 0; padding: 0; }}
nav ol ol {{ margin: .1rem 0 .6rem; padding-left: 1.6rem; }}
nav .n {{ display: inline-block; min-width: 1.6rem; color: var(--soft); }}
nav ol ol .n {{ min-width: 2.1rem; }}
nav a {{ color: inherit; text-decoration: none; }}
nav a:hover {{ text-decoration: underline; }}
.finding {{ margin-bottom: 1.1rem; }}
figure {{ margin: 0 0 1.6rem; }}
figure svg {{ display: block; width: 100%; height: auto; }}
svg.narrow {{ display: none; max-width: 440px; }}
figcaption, .caption {{ font-size: .8rem; line-height: 1.45; color: var(--soft); }}
figcaption {{ margin-top: .6rem; }}
.caption {{ margin: 0 0 .45rem; }}
figcaption b, .caption b {{ color: var(--ink); }}
.exhibit {{ margin: 0 0 1.8rem; }}
.box {{ overflow-x: auto; }}
table {{ border-collapse: collapse; min-width: min(100%, 24rem); font-size: .8rem; line-height: 1.4;
  font-variant-numeric: tabular-nums lining-nums; border-bottom: 1.5px solid var(--ink); }}
thead {{ border: solid var(--ink); border-width: 1.5px 0 1px; }}
th {{ font-weight: 600; text-align: left; vertical-align: bottom; }}
th, td {{ padding: .3rem .9rem .3rem 0; vertical-align: baseline; }}
tbody tr + tr {{ border-top: 1px solid #eee; }}
th:last-child, td:last-child {{ padding-right: 0; }}
th.r, td.r {{ text-align: right; white-space: nowrap; }}
th.r {{ white-space: normal; }}
table.full {{ width: 100%; }}
.w {{ width: 55%; }}
td.w {{ min-width: 11rem; overflow-wrap: anywhere; }}
td.t {{ min-width: 4.5rem; }}
td.t + td.t {{ min-width: 9rem; }}
td.r + td.w, th.r + th.w {{ padding-left: .6rem; }}
pre {{ font: .76rem/1.5 {_MONO}; white-space: pre-wrap; overflow-wrap: anywhere; margin: 0 0 1.5rem;
  padding: .8rem 1rem; background: #f6f6f6; }}
.notes li {{ margin-bottom: .5rem; }}
.notes {{ padding-left: 1.2rem; }}
.nothing {{ color: var(--soft); }}
footer {{ margin-top: 3rem; padding-top: .8rem; border-top: 1px solid var(--line);
  font-size: .78rem; color: var(--soft); }}
@media (max-width: 599px) {{
  html {{ font-size: 16px; }}
  h1 {{ font-size: 1.6rem; }}
  .facts div {{ grid-template-columns: minmax(0, 1fr); }}
  .facts dd {{ grid-column: 1; }}
  svg.wide {{ display: none !important; }}
  svg.narrow {{ display: block !important; }}
}}
@media screen and (min-width: 1080px) {{
  body {{ display: grid; grid-template-columns: 15.5rem minmax(0, 712px); justify-content: center;
    column-gap: 3.5rem; grid-template-rows: auto 1fr; }}
  header, nav, main {{ margin: 0; padding-left: 0; padding-right: 0; width: 100%; }}
  header, main {{ grid-column: 2; }}
  nav {{ grid-column: 1; grid-row: 1 / span 2; position: sticky; top: 0; max-height: 100vh;
    overflow-y: auto; padding: 2.8rem 0 2rem;
    align-self: start; font-size: .8rem; }}
}}
@media screen and (max-width: 1079px) {{
  nav > ol {{ columns: 2 14rem; column-gap: 2rem; }}
  nav > ol > li {{ break-inside: avoid; }}
}}
@page {{ size: A4; margin: 20mm 20mm 22mm;
  @bottom-center {{ content: counter(page); font: 8.5pt {_SANS}; color: #5c5c5c; }} }}
@media print {{
  html {{ font-size: 10.5pt; line-height: 1.45; }}
  body {{ display: block; }}
  header, nav, main {{ max-width: none; padding: 0; }}
  a {{ color: inherit; text-decoration: none; }}
  nav {{ break-after: page; break-inside: avoid; }}
  nav {{ font-size: 8.5pt; line-height: 1.4; }}
  nav > ol {{ columns: 3; column-gap: 2rem; }}
  nav > ol > li {{ break-inside: avoid; }}
  h1 {{ font-size: 22pt; }}
  h2 {{ font-size: 15pt; margin-top: 2.2rem; break-after: avoid; }}
  h3 {{ font-size: 11.5pt; margin-top: 1.5rem; break-after: avoid; }}
  p.finding {{ break-inside: avoid; break-after: avoid; orphans: 3; widows: 3; }}
  figure, .scale, .facts div {{ break-inside: avoid; }}
  svg.wide {{ display: block !important; }}
  svg.narrow {{ display: none !important; }}
  .box {{ overflow: visible; }}
  .exhibit {{ break-inside: avoid; }}
  .exhibit:has(table.long) {{ break-inside: auto; }}
  .caption, thead {{ break-after: avoid; }}
  table, figcaption, .caption {{ font-size: 8.5pt; }}
  tr {{ break-inside: avoid; }}
  thead {{ display: table-header-group; }}
  pre {{ font-size: 8pt; background: none; border: 1px solid var(--line); }}
}}
"""
