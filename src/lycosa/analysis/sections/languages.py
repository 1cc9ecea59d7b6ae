"""English names of the language codes (ISO 639) that are most frequent on the web."""

from __future__ import annotations

_NAMES = """
af Afrikaans|am Amharic|ar Arabic|az Azerbaijani|be Belarusian|bg Bulgarian|bn Bengali|bs Bosnian
ca Catalan|cs Czech|cy Welsh|da Danish|de German|el Greek|en English|eo Esperanto|es Spanish
et Estonian|eu Basque|fa Persian|fi Finnish|fr French|ga Irish|gl Galician|gu Gujarati|he Hebrew
hi Hindi|hr Croatian|hu Hungarian|hy Armenian|id Indonesian|is Icelandic|it Italian|ja Japanese
ka Georgian|kk Kazakh|km Khmer|kn Kannada|ko Korean|ku Kurdish|ky Kyrgyz|la Latin|lb Luxembourgish
lt Lithuanian|lv Latvian|mk Macedonian|ml Malayalam|mn Mongolian|mr Marathi|ms Malay|mt Maltese
my Burmese|nb Norwegian Bokmål|ne Nepali|nl Dutch|nn Norwegian Nynorsk|no Norwegian|pa Punjabi
pl Polish|ps Pashto|pt Portuguese|ro Romanian|ru Russian|si Sinhala|sk Slovak|sl Slovenian
so Somali|sq Albanian|sr Serbian|sv Swedish|sw Swahili|ta Tamil|te Telugu|tg Tajik|th Thai
tl Tagalog|tr Turkish|uk Ukrainian|ur Urdu|uz Uzbek|vi Vietnamese|xh Xhosa|yi Yiddish|zh Chinese
zu Zulu
"""
NAMES = dict(entry.split(" ", 1) for entry in _NAMES.strip().replace("\n", "|").split("|"))


UNKNOWN = ("", "und", None)
"""The name of an unknown language."""


def language_name(code: str) -> str:
    """Return the English name of a language, with its code; of an unknown one the code alone."""
    if code in UNKNOWN:
        return "not known"
    return f"{NAMES[code]} ({code})" if code in NAMES else code
