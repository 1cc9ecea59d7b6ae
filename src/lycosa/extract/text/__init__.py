"""The text of a page: its character set, its language, and its fingerprint.

The language of a page is what its markup says, unless its text clearly says another
(docs/decisions/0029). The modules of languages need the extra `study`; nothing else imports them.

    _fingerprint       the fingerprint, compiled
    charset            finds the character set and converts to UTF-8
    fingerprint        a similarity hash of the text
    language_codes     one code for each language
    language_detector  the language of texts, alone or thousands at once
    page_language      the language of one page
    undeclared         detects the character set of pages that declare none
"""
