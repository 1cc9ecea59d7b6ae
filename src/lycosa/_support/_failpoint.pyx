"""The call of every fail point, compiled, so that one that is not armed costs a comparison.

`lycosa._support.failpoints` has the names, and says what they are for.
"""

cdef object hook = None


cpdef object reach(str name):
    """Tell the armed hook that the code has reached a fail point."""
    if hook is not None:
        hook(name)


def arm(told):
    """Install the hook that every fail point calls; None disarms."""
    global hook
    hook = told


def armed():
    """Return the hook; None while nothing is armed."""
    return hook
