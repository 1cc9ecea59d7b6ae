"""Tables, graphs and records of a crawl as files: Parquet, CSV, JSON, GraphML, GEXF, WARC, WACZ.

export       writes one table or graph to a file or a stream
targets      where an export may be written to
items        writes items that plugins have emitted, with their values as columns
graph_files  graphs of pages and sites as GraphML and GEXF
main_texts   main texts in the place of whole texts
of_topic     selects the rows of pages about a topic
warc_files   records of pages as a WARC file of their own
wacz_files   some pages as a WACZ of their own
withheld     leaves out pages that ask for it
csv_cells    CSV texts that are safe in spreadsheets
"""
