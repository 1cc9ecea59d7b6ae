"""The text of documents that are no web pages: PDF, office files, e-books.

`lycosa index` and `lycosa study` read them from the archive, once for each sealed segment, in a
process with limits of memory and time and without network: such files come from strangers, and the
libraries that read them are large. The process is killed with the file that it could not stand.

    document   what is read from one, and the names of how that can end
    pdf        PDF, by pypdfium2 (extra `documents`)
    office     Word, Excel, PowerPoint, OpenDocument, EPUB: archives of XML
    archives   archives whose contents are bounded however they were packed
    rtf        Rich Text Format
    process    the process that reads them
    reader     starts that process, and restarts it
    one        a single document, for `lycosa cat`
    texts      the table `documents`, a file for each sealed segment: `index/documents/`
"""
