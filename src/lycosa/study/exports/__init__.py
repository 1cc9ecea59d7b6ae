"""Tables and graphs of a crawl as files for other programs: Parquet, CSV, JSON, GraphML, GEXF.

export       writes one table or graph to a file or a stream
graph_files  graphs of pages and sites as GraphML and GEXF
of_topic     only the rows of pages about a topic
withheld     what pages ask to be left out of exports
csv_cells    CSV texts that no spreadsheet takes for formulas
"""
