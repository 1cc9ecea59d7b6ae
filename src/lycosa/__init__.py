"""Lycosa: a web spider that is polite beyond doubt and loses nothing when it is killed."""

__version__ = "0.1.0.dev0"
