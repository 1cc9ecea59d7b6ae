"""The HTML scanner: reads a page once, from left to right, without building a tree.

The compiled scanner and its twin in Python return the same facts for any bytes; a test compares
them on made and mutated pages.

    _scan       the scanner (compiled): links, text, title, language, robots directives
    names       element and attribute names that the scanner knows
    values      values with a syntax of their own: srcset, refresh, rel
    objects     references of object, applet and param
    mentions    URLs in scripts, JSON and attributes for scripts, which only `wide` reads
    mentioned_text  URLs that are written out in text, comments and declarations, for `wide`
    trees       parses a page to a tree, unless that would be out of proportion to it
    _growth     predicts how large a tree can become (compiled)
    references  character references such as `&amp;`
"""
