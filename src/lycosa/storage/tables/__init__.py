"""The tables of a crawl: rows in Arrow columns, and triples as N-Quads.

Rows are gathered in memory, flushed as Arrow batches to the journals of the open segment, and
become Parquet files when the segment is sealed.

    rows             the tables pages, links, text and hosts: their columns, ids and moments
    _rows            the rows of exchanges, gathered and written as Arrow batches; compiled
    redirects        where a redirect leads
    extra            columns that plugins add to pages
    items            items that plugins have read out of pages, and their form in records
    quads            structured data of pages, as N-Quads
    link_ends        source and target of every stored link
    arrow_functions  Arrow functions that sealing needs, without the slow import
    parquet_files    opens Parquet files to be read once
    derived          tables that commands compute, in `index/tables/`
    document_texts   the table of texts of PDF and office files, in `index/documents/`
    missing_tables   errors for tables that are missing or damaged
    _order           rows in the order of their keys, and rows whose fetches are known, without
                     Arrow's functions
"""
