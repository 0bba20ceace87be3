"""How the modules beside list their functions: a table, and the decorator that fills it."""


def table():
    """Return an empty list, and a decorator that puts a function into it."""
    cases = []

    def case(f):
        cases.append(f)
        return f

    return cases, case


def table_with_points():
    """Return the same, with a decorator that is told the point to differentiate at."""
    cases = []

    def case(at=(0.7, 1.3, 0.4)):
        def add(f):
            f.at = at
            cases.append(f)
            return f

        return add

    return cases, case
