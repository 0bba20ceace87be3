"""Places where code keeps a state: each row makes a function, and what says the state it is in.

They also store something of the argument, so that it is asked whether that is a cache. The rows
are in the modules ``states_of_*``.
"""

STATES = {}


def kind(f):
    STATES[f.__name__] = f
    return f


def val(x, n):
    return (x**2).sum() * n
