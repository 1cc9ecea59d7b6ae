"""The language of a page: what its markup says, unless its text clearly says another.

The rule is that of docs/decisions/0042. A crawl that keeps pages of some languages alone asks it of
one page at a time (`page_language`); a study detects the texts of a crawl in batches and decides by
the same rule in SQL (`lycosa.study.statistics.languages`). It needs packages of the extra
`study`, so nothing else of `extract` imports this.

    page_language  the language of one page
    detector       the language of texts, alone or thousands at once
    codes          one code for each language
"""
