"""What a crawl offers to other programs: its triples, over SPARQL 1.1 Protocol.

`protocol` reads a request and says what it asks for; `query.answer_pool` has it answered by a
process that has no network and can be ended when it takes too long; `server` listens.
"""
