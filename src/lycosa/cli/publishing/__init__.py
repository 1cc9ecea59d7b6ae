"""Commands that give a crawl to others: servers, replay, files and copies.

serve   `serve`: pages and a REST interface over crawls, or SPARQL alone
replay  `replay`: show a crawl's pages in a browser
export  `export`: write tables, graphs and triples for other programs
fetch   `fetch`: copy a crawl from a store into a directory
"""
