"""What a call costs, counted: times differ from run to run."""

import gc
import sys


def python_calls(f, *args):
    """How many Python functions run."""
    count = 0

    def note(frame, event, argument):
        nonlocal count
        count += event == "call"

    gc.collect()  # or what earlier tests left calls functions when it goes
    sys.setprofile(note)
    try:
        f(*args)
    finally:
        sys.setprofile(None)
    return count
