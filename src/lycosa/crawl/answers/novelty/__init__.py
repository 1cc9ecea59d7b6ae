"""Pages that bring nothing new, and what follows from it for URLs like theirs.

soft_404  pages that say "not found" with status 200: found out by asking for one
copies    texts and fingerprints seen lately, to tell a new page from a copy
traps     budgets for URLs of one shape, so that endless spaces end
mirrors   hosts that show what another host shows
"""
