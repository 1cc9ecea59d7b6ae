"""How long a host rests, and when it may be asked again.

    due          the pause that a host is due: of job, site and answer; pure functions
    host_pauses  the pause after an answer, with back-off, and when the host is given up
    release      gives a host back after its answer: at once, or when the log has the answer

Beside them: `readiness` (frontier) keeps the moment of every host, `features.bursts` lets some
URLs follow without a pause, and `_page_stages` computes the usual pause in compiled code.
"""
