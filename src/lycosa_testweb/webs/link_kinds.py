"""The kinds of links that the maze has: where each stands, and which flag follows it.

`@` stands for the target of a kind, a path from the root; `!@` for its absolute URL. A `shape` says
what the markup is a part of: a body, a head, a whole document, the headers of an answer, or a file
of another type that a page links to.
"""

from __future__ import annotations

from typing import NamedTuple

DEFAULT, REQUISITES, WIDE, FORMS, RECORDED, NOTHING = (
    *("by default", "--requisites", "--wide", "--forms", "recorded", "not found"),
)
"""The flag by which a crawl asks for the target of a link; what is recorded is never asked for."""


class LinkPlace(NamedTuple):
    """A place in which a link may stand."""

    name: str
    flag: str
    markup: str
    shape: str = "body"


def _places(flag: str, shape: str, *pairs: tuple[str, str]) -> list[LinkPlace]:
    return [LinkPlace(name, flag, markup, shape) for name, markup in pairs]


_XLINK = 'xmlns:xlink="http://www.w3.org/1999/xlink"'
_SITEMAP = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'

PLACES: list[LinkPlace] = [
    *_places(
        *(DEFAULT, "body"),
        ("a", '<a href="@">x</a>'),
        ("a-absolute", '<a href="!@">x</a>'),
        ("a-protocol-relative", '<a href="//maze.test@">x</a>'),
        ("a-dots", '<a href="../x/./../@@">x</a>'),
        ("a-upper-case", '<A HREF="@">x</A>'),
        ("a-single-quotes", "<a href='@'>x</a>"),
        ("a-unquoted", "<a href=@>x</a>"),
        ("a-spaces", '<a href = "  @\n">x</a>'),
        ("a-newline-within", '<a href="/fou\nnd\t/@@@">x</a>'),
        ("a-backslashes", '<a href="\\found\\@@@">x</a>'),
        ("a-reference", '<a href="&#x2F;found&sol;@@@">x</a>'),
        ("a-escaped", '<a href="/%66ound/@@@">x</a>'),
        ("a-unclosed", '<div><p><a href="@">x'),
        ("a-scheme-upper-case", '<a href="HTTP://MAZE.test@">x</a>'),
        ("a-port", '<a href="http://maze.test:80@">x</a>'),
        ("a-two-attributes", '<a href="@" href="/wrong">x</a>'),
        ("a-behind-a-quote", '<a title="a > b" href="@">x</a>'),
        ("a-in-select", '<select><option><a href="@">x</a></select>'),
        ("a-in-table", '<table><a href="@">x</a><tr><td>y</table>'),
        ("a-download", '<a href="@" download>x</a>'),
        ("a-target", '<a href="@" target="_blank" rel="noopener">x</a>'),
        ("a-fragment", '<a href="@#part">x</a>'),
        ("area", '<map name="m"><area href="@" alt="x"></map>'),
        ("iframe", '<iframe src="@"></iframe>'),
        ("iframe-srcdoc", "<iframe srcdoc=\"<a href='@'>x</a>\"></iframe>"),
        ("svg-a", '<svg><a href="@"><text>x</text></a></svg>'),
        ("svg-a-xlink", '<svg><a xlink:href="@"><text>x</text></a></svg>'),
        ("math", '<math><mrow href="@"><mi>x</mi></mrow></math>'),
        ("template", '<template><a href="@">x</a></template>'),
        ("shadow-root", '<p><template shadowrootmode="open"><a href="@">x</a></template></p>'),
        ("noscript", '<noscript><a href="@">x</a></noscript>'),
        ("conditional-comment", '<!--[if IE]><a href="@">x</a><![endif]-->'),
        ("layer", '<layer src="@"></layer>'),
        ("portal", '<portal src="@"></portal>'),
    ),
    *_places(
        *(DEFAULT, "whole"),
        ("base", '<base href="/found/"><a href="@@@">x</a>'),
        ("frame", '<html><frameset cols="*"><frame src="@"></frameset></html>'),
        ("noframes", '<html><frameset><noframes><a href="@">x</a></noframes></frameset></html>'),
        ("behind-the-end", '<html><body>x</body></html><a href="@">x</a>'),
        ("no-html-element", '<a href="@">x'),
        ("nested-forms", '<form method="post"><form action="/x"></form><a href="@">x</a></form>'),
    ),
    *_places(
        *(DEFAULT, "head"),
        ("refresh", '<meta http-equiv="refresh" content="0; url=@">'),
        ("refresh-no-url", '<meta http-equiv="Refresh" content="5;@">'),
        *((f"link-{rel}", f'<link rel="{rel}" href="@">') for rel in (
            *("alternate", "amphtml", "author", "canonical", "help", "license", "next", "prev"),
            *("search", "up"),
        )),
        ("link-feed", '<link rel="alternate" type="application/rss+xml" href="@">'),
        ("link-hreflang", '<link rel="alternate" hreflang="de" href="@">'),
    ),
    *_places(
        *(DEFAULT, "header"),
        ("header-link", "Link: <@>; rel=next"),
        ("header-link-canonical", 'Link: <@>; rel="canonical"'),
        ("header-refresh", "Refresh: 1; url=@"),
        ("header-location", "Location: @"),
    ),
    *_places(
        *(DEFAULT, "application/xml"),
        ("sitemap", f"<urlset {_SITEMAP}><url><loc>!@</loc></url></urlset>"),
        ("sitemap-prefix", '<s:urlset xmlns:s="x"><s:url><s:loc>!@</s:loc></s:url></s:urlset>'),
        ("sitemap-alternate", f'<urlset {_SITEMAP}><url><xhtml:link href="!@"/></url></urlset>'),
        ("rss-link", '<rss version="2.0"><channel><item><link>!@</link></item></channel></rss>'),
        ("rss-guid", '<rss version="2.0"><channel><item><guid>!@</guid></item></channel></rss>'),
        ("rss-comments", '<rss version="2.0"><item><comments>!@</comments></item></rss>'),
        ("atom-link", '<feed xmlns="http://www.w3.org/2005/Atom"><link href="@"/></feed>'),
        ("atom-related", '<feed xmlns="a"><link rel="related" href="@"/></feed>'),
        ("atom-content", '<feed xmlns="a"><entry><content src="@"/></entry></feed>'),
        ("opml", '<opml version="2.0"><body><outline text="x" xmlUrl="!@"/></body></opml>'),
        ("xhtml", '<html xmlns="http://www.w3.org/1999/xhtml"><a href="@">x</a></html>'),
    ),
    *_places(
        *(DEFAULT, "text/plain"),
        ("text-sitemap", "!@\n"),
    ),
    *_places(
        *(REQUISITES, "body"),
        ("img", '<img src="@" alt="">'),
        ("img-srcset", '<img srcset="/wrong 1x, @ 2x" alt="">'),
        ("img-lowsrc", '<img lowsrc="@" alt="">'),
        ("img-dynsrc", '<img dynsrc="@" alt="">'),
        ("picture", '<picture><source srcset="@ 1x"><img alt=""></picture>'),
        ("input-image", '<input type="image" src="@" alt="">'),
        ("audio", '<audio src="@"></audio>'),
        ("video", '<video src="@"></video>'),
        ("video-poster", '<video poster="@"></video>'),
        ("video-source", '<video><source src="@"></video>'),
        ("track", '<video><track src="@"></video>'),
        ("bgsound", '<bgsound src="@">'),
        ("embed", '<embed src="@">'),
        ("object", '<object data="@"></object>'),
        ("object-archive", '<object archive="/wrong @"></object>'),
        ("object-param", '<object><param name="movie" value="@"></object>'),
        ("applet-code", '<applet code="@"></applet>'),
        ("applet-archive", '<applet archive="@"></applet>'),
        ("table-background", '<table background="@"></table>'),
        ("td-background", '<table><tr><td background="@">x</table>'),
        ("style-attribute", '<p style="background: url(@)">x</p>'),
        ("style-image-set", "<p style=\"background: image-set('@' 1x)\">x</p>"),
        ("style-element", "<style>b { background: url( '@' ) }</style>"),
        ("style-import", '<style>@import "\0";</style>'),
        ("style-font", "<style>@font-face { font-family: f; src: url(\0) }</style>"),
        ("script", '<script src="@"></script>'),
        ("svg-image", '<svg><image href="@"/></svg>'),
        ("svg-image-xlink", '<svg><image xlink:href="@"/></svg>'),
        ("svg-use", '<svg><use href="@#part"/></svg>'),
        ("svg-script", '<svg><script xlink:href="@"></script></svg>'),
        ("svg-filter", '<svg><rect filter="url(@#f)"/></svg>'),
    ),
    *_places(
        *(REQUISITES, "head"),
        *((f"link-{rel}", f'<link rel="{rel}" href="@">') for rel in (
            *("stylesheet", "icon", "apple-touch-icon", "mask-icon", "modulepreload", "prefetch"),
        )),
        ("link-preload", '<link rel="preload" as="script" href="@">'),
        ("link-imagesrcset", '<link rel="preload" as="image" imagesrcset="@ 1x">'),
        ("css-url", '<link rel="stylesheet" href="/files/url.css">'),
        ("css-import", '<link rel="stylesheet" href="/files/import.css">'),
        ("manifest-start-page", '<a href="/files/app.webmanifest">x</a>'),
        ("manifest-icon", '<link rel="manifest" href="/files/app.webmanifest">'),
    ),
    *_places(
        *(REQUISITES, "whole"),
        ("html-manifest", '<html manifest="@"><body>x</body></html>'),
        ("body-background", '<html><body background="@">x</body></html>'),
    ),
    *_places(
        *(REQUISITES, "application/xml"),
        ("rss-enclosure", '<rss version="2.0"><item><enclosure url="!@"/></item></rss>'),
        ("sitemap-image", f"<urlset {_SITEMAP}><image:loc>!@</image:loc></urlset>"),
        ("xml-stylesheet", '<?xml version="1.0"?><?xml-stylesheet href="@"?><x/>'),
    ),
    *_places(
        *(WIDE, "body"),
        ("blockquote-cite", '<blockquote cite="@">x</blockquote>'),
        ("q-cite", '<q cite="@">x</q>'),
        ("ins-cite", '<ins cite="@">x</ins>'),
        ("del-cite", '<del cite="@">x</del>'),
        ("img-longdesc", '<img longdesc="@" alt="">'),
        ("img-usemap", '<img usemap="@#m" alt="">'),
        ("object-codebase", '<object codebase="@"></object>'),
        ("microdata-link", '<link itemprop="url" href="@">'),
        ("microdata-id", '<p itemscope itemid="@" itemtype="x">x</p>'),
        ("rdfa-resource", '<p property="x" resource="@">x</p>'),
        ("rdfa-about", '<p about="@">x</p>'),
        ("data-href", '<p data-href="@">x</p>'),
        ("data-src", '<img data-src="@" alt="">'),
        ("data-json", "<p data-options='{\"next\": \"@\"}'>x</p>"),
        ("href-of-another-element", '<li href="@">x</li>'),
        ("src-of-a-custom-element", '<amp-img src="@"></amp-img>'),
        ("router-link", '<router-link to="@">x</router-link>'),
        ("option-value", '<select><option value="@">x</option></select>'),
        ("import-implementation", '<import namespace="t" implementation="@">'),
        ("embed-pluginspage", '<embed pluginspage="@">'),
        ("onclick", "<b onclick=\"location.href='@'\">x</b>"),
        ("javascript-href", "<a href=\"javascript:open('@')\">x</a>"),
        ("data-url-document", "<iframe src=\"data:text/html,<a href='!@'>x</a>\"></iframe>"),
        ("script-string", "<script>go('@');</script>"),
        ("script-joined-strings", "<script>go('/found/' + '@@@');</script>"),
        ("script-comment", "<script>// see !@\n</script>"),
        ("json-ld", '<script type="application/ld+json">{"@id": "x", "url": "\0"}</script>'),
        ("json", '<script type="application/json">{"next": "!@"}</script>'),
        ("comment", "<!-- <a href='@'>x</a> -->"),
        ("server-side-include", '<!--#include virtual="@" -->'),
        ("text", "<p>see !@, and then go on</p>"),
        ("text-dots", "<p>see ../found/@@@ there</p>"),
    ),
    *_places(
        *(WIDE, "head"),
        *((f"link-{rel}", f'<link rel="{rel}" href="@">') for rel in (
            *("shortlink", "pingback", "EditURI", "webmention"),
        )),
        ("link-no-relation", '<link href="@">'),
        ("base-itself", '<base href="@">'),
        ("og-url", '<meta property="og:url" content="!@">'),
        ("twitter-image", '<meta name="twitter:image" content="@">'),
        ("meta-task", '<meta name="msapplication-task" content="name=x;action-uri=@;icon-uri=/x">'),
        ("meta-policy", '<meta http-equiv="Content-Security-Policy" content="report-uri @">'),
    ),
    *_places(
        *(WIDE, "whole"),
        ("head-profile", '<html><head profile="@"></head></html>'),
        ("doctype", '<!DOCTYPE html SYSTEM "@"><html><body>x</body></html>'),
    ),
    *_places(
        *(WIDE, "header"),
        ("header-content-location", "Content-Location: @"),
        ("header-pingback", "X-Pingback: !@"),
        ("header-sourcemap", "SourceMap: @"),
        ("header-location-of-a-page", "Location: @"),
    ),
    *_places(
        *(WIDE, "application/xml"),
        ("xlink", f'<x {_XLINK}><y xlink:type="simple" xlink:href="@"/></x>'),
        ("rss-content", '<rss><description>&lt;a href="!@">x&lt;/a></description></rss>'),
    ),
    *_places(
        *(WIDE, "text/plain"),
        ("plain-text", "Read !@ first.\n"),
    ),
    *_places(
        *(WIDE, "robots"),
        ("robots-allow", "Allow: @"),
    ),
    *_places(
        *(FORMS, "body"),
        ("form-get", '<form action="@"><input name="q"></form>'),
        ("button-formaction", '<form><button formaction="@">x</button></form>'),
        ("input-formaction", '<form><input type="submit" formaction="@"></form>'),
        ("isindex", '<isindex action="@">'),
    ),
    *_places(
        *(RECORDED, "body"),
        ("form-delete", '<form action="@"><input name="q"></form>'),
        ("form-secret", '<form action="@"><input type="password" name="q"></form>'),
        ("a-ping", '<a href="#" ping="@">x</a>'),
        ("form-post", '<form method="post" action="@"></form>'),
        ("button-formmethod", '<form><button formmethod="post" formaction="@">x</button></form>'),
    ),
    *_places(
        *(RECORDED, "head"),
        ("link-preconnect", '<link rel="preconnect" href="@">'),
        ("link-dns-prefetch", '<link rel="dns-prefetch" href="@">'),
    ),
    *_places(
        *(NOTHING, "body"),
        ("script-variable", "<script>const a = '/found/'; go(a + '@@@');</script>"),
        ("script-base64", "<script>go(atob('QA'))</script>"),
        ("textarea", "<textarea>see !@</textarea>"),
        ("word-in-text", "<p>the page named @@@ is there</p>"),
        ("xml-base", '<svg xml:base="/found/"><a href="@@@">x</a></svg>'),
    ),
    *_places(
        *(NOTHING, "robots"),
        ("robots-disallow", "Disallow: @"),
    ),
]  # fmt: skip
"""Every place, with a name that no other has."""
