"""Robots files (RFC 9309): what they permit our agent.

rules     compiles a robots file into rules
patterns  matches the path patterns of robots files
lines     explains which line of a robots file decides
"""
