"""The referee: judges the politeness of a client, by what the servers saw.

It keeps its own account of robots files, pauses and connections, imports none of the crawler's
code, and goes on judging across kills of the client.

    referee       judges a client by what the servers saw
    rulebook      the rules that it judges by, and breaches of them
    ledger        its memory: hosts, addresses, requests
    robots_watch  the robots files that each site has shown the client
    record        records what a server saw, for a judge in another process
"""
