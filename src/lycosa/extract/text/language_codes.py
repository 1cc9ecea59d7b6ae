"""A single code for each language, for the several codes that markup and detectors use.

BCP 47 wants the code of two letters where there is one (RFC 5646 section 2.2.1). Pages and models
also write codes of three letters, old ones and, by mistake, codes of countries.

`CODES` has a row for every code that is rewritten or known: the code we count it under, and its
*kin*. Two languages of one kin never count as a disagreement, because they are written alike or
one is part of the other (macrolanguages of ISO 639-3): a page that says `no` and reads like `nb`
agrees with itself.
"""

from __future__ import annotations

import pyarrow as pa

UNKNOWN = "und"
"""RFC 5646: the language is not determined."""

_TWO_LETTERS = """
    aa:aar ab:abk ae:ave af:afr ak:aka am:amh an:arg ar:ara as:asm av:ava ay:aym az:aze ba:bak
    be:bel bg:bul bh:bih bi:bis bm:bam bn:ben bo:bod/tib br:bre bs:bos ca:cat ce:che ch:cha
    co:cos cr:cre cs:ces/cze cu:chu cv:chv cy:cym/wel da:dan de:deu/ger dv:div dz:dzo ee:ewe
    el:ell/gre en:eng eo:epo es:spa et:est eu:eus/baq fa:fas/per ff:ful fi:fin fj:fij fo:fao
    fr:fra/fre fy:fry ga:gle gd:gla gl:glg gn:grn gu:guj gv:glv ha:hau he:heb hi:hin ho:hmo
    hr:hrv ht:hat hu:hun hy:hye/arm hz:her ia:ina id:ind ie:ile ig:ibo ii:iii ik:ipk io:ido
    is:isl/ice it:ita iu:iku ja:jpn jv:jav ka:kat/geo kg:kon ki:kik kj:kua kk:kaz kl:kal
    km:khm kn:kan ko:kor kr:kau ks:kas ku:kur kv:kom kw:cor ky:kir la:lat lb:ltz lg:lug li:lim
    ln:lin lo:lao lt:lit lu:lub lv:lav mg:mlg mh:mah mi:mri/mao mk:mkd/mac ml:mal mn:mon
    mr:mar ms:msa/may mt:mlt my:mya/bur na:nau nb:nob nd:nde ne:nep ng:ndo nl:nld/dut nn:nno
    no:nor nr:nbl nv:nav ny:nya oc:oci oj:oji om:orm or:ori os:oss pa:pan pi:pli pl:pol ps:pus
    pt:por qu:que rm:roh rn:run ro:ron/rum ru:rus rw:kin sa:san sc:srd sd:snd se:sme sg:sag
    si:sin sk:slk/slo sl:slv sm:smo sn:sna so:som sq:sqi/alb sr:srp ss:ssw st:sot su:sun
    sv:swe sw:swa ta:tam te:tel tg:tgk th:tha ti:tir tk:tuk tl:tgl tn:tsn to:ton tr:tur ts:tso
    tt:tat tw:twi ty:tah ug:uig uk:ukr ur:urd uz:uzb ve:ven vi:vie vo:vol wa:wln wo:wol xh:xho
    yi:yid yo:yor za:zha zh:zho/chi zu:zul
"""
"""ISO 639-1, with the codes of ISO 639-2 for the same."""

_OTHER_NAMES = {
    "iw": "he",
    "in": "id",
    "ji": "yi",
    "jw": "jv",
    "mo": "ro",
    "fil": "tl",
    "cmn": "zh",
    "arb": "ar",
    "ekk": "et",
    "lvs": "lv",
    "zsm": "ms",
    "khk": "mn",
    "swh": "sw",
    "npi": "ne",
    "ory": "or",
    "pes": "fa",
    "plt": "mg",
    "ydd": "yi",
    "uzn": "uz",
    "azj": "az",
    "kmr": "ku",
    "gug": "gn",
    "fuv": "ff",
    "uzs": "uz",
    "hbs": "sh",
}
"""Old codes, and members of a macrolanguage that are meant by its code."""

_KIN = {
    "no": "nb nn",
    "sh": "bs hr sr cnr",
    "zh": "yue wuu hak nan gan",
    "ar": "arz ary apc ajp acm",
    "az": "azb",
    "fa": "prs",
    "ku": "ckb sdh",
    "he": "hbo",
    "el": "grc",
    "ms": "id",
}
_KIN_OF = {member: head for head, members in _KIN.items() for member in members.split()}

_NO_LANGUAGES = frozenset({UNKNOWN, "mul", "zxx", "mis"})
"""ISO 639-2: undetermined, several, none, uncoded."""


def language_of_tag(tag: str) -> str | None:
    """Return the code of the language that markup names (`de-AT`, `ger`); None for no language."""
    code = tag.strip().replace("_", "-").partition("-")[0].lower()
    if code in LANGUAGES:
        return LANGUAGES[code]
    is_code = len(code) == 3 and code.isascii() and code.isalpha()
    return code if is_code and code not in _NO_LANGUAGES else None


def kin_of(language: str) -> str:
    """Return the code that languages share which never contradict each other."""
    return _KIN_OF.get(language, language)


def _rows() -> list[tuple[str, str, str]]:
    found = {"sh": "sh"}
    for entry in _TWO_LETTERS.split():
        code, _, longer = entry.partition(":")
        found |= dict.fromkeys((code, *longer.split("/")), code)
    found |= _OTHER_NAMES | {member: member for member in _KIN_OF if len(member) == 3}
    return [(code, language, kin_of(language)) for code, language in found.items()]


CODES = pa.table(
    dict(zip(("code", "language", "kin"), zip(*_rows(), strict=True), strict=True)),
    pa.schema([(name, pa.string()) for name in ("code", "language", "kin")]),
)

LANGUAGES: dict[str, str] = {code: language for code, language, _ in _rows()}
"""Code → the code that we count it under."""
