"""The text of documents other than web pages: PDF, office files, e-books.

`lycosa index` and `lycosa study` read them from the archive, once for each sealed segment, in a
process with limits of memory and time and without network: such files come from strangers, and the
libraries that read them are large. A file that crashes the library costs only this process, which
is started again.

    document   the content that is read from a document, and the outcomes of reading
    pdf        PDF, by pypdfium2 (extra `documents`)
    office     Word, Excel, PowerPoint, OpenDocument, EPUB: archives of XML
    archives   archives whose unpacked size is bounded
    rtf        Rich Text Format
    formats    tells formats apart, and reads each
    reader     reads documents in a confined process (`_support.confined`)
    texts      the table `documents`, a file for each sealed segment: `index/documents/`
"""
