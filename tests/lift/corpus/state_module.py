"""A module with a state, which code of another one changes."""

N = 0
LAST = None
EXTRA = 0


class C:
    n = 0


def bump():
    global N
    N += 1
    C.n += 1
    return N + C.n


def keep(x):
    global LAST
    LAST = x
