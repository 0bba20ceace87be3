"""Lists of names, dates and objects in lifted code: NumPy answers, unless a gradient is lost."""

import datetime
import fractions

import numpy as onp
import pytest

import arraygrad as ag
import arraygrad.numpy as np


class Weight:
    """Ordered and added, as users' classes are."""

    def __init__(self, kilos):
        self.kilos = kilos

    def __lt__(self, other):
        return self.kilos < other.kilos

    def __add__(self, other):
        return Weight(self.kilos + other.kilos)

    def __eq__(self, other):
        return self.kilos == other.kilos

    def __repr__(self):
        return f"Weight({self.kilos})"


DAYS = [datetime.datetime(2020, 1, 1), datetime.datetime(2020, 1, 3)]
THIRDS = [fractions.Fraction(1, 3), fractions.Fraction(2, 3)]

CALLS = {
    "hstack": lambda m: m.hstack([["a"], ["b"]]),
    "hstack-classes": lambda m: m.hstack([[int, float], [str]]),
    "hstack-array-class": lambda m: m.hstack([[onp.ndarray], [None]]),
    "vstack": lambda m: m.vstack([["a"], ["b"]]),
    "concatenate": lambda m: m.concatenate([["a"], ["bc"]]),
    "concatenate-objects": lambda m: m.concatenate([[Weight(1)], [Weight(2)]]),
    "append": lambda m: m.append(["a"], "b"),
    "column_stack": lambda m: m.column_stack([["a"], ["b"]]),
    "sort": lambda m: m.sort(["b", "a"]),
    "sort-objects": lambda m: m.sort([Weight(2), Weight(1)]),
    "argsort": lambda m: m.argsort(["b", "a"]),
    "unique": lambda m: m.unique(["b", "a", "a"]),
    "unique-counts": lambda m: m.unique(["b", "a", "a"], return_counts=True),
    "isin": lambda m: m.isin(["a", "c"], ["a", "b"]),
    "intersect1d": lambda m: m.intersect1d(["a"], ["a", "b"]),
    "where": lambda m: m.where([True, False], "a", "b"),
    "where-computed": lambda m: m.where(m.array([1.0, -1.0]) > 0, "up", "down"),
    "where-none": lambda m: m.where([True, False], ["a", "b"], None),
    "select": lambda m: m.select([[True, False]], ["a"], "b"),
    "repeat": lambda m: m.repeat(["a"], 3),
    "tile": lambda m: m.tile("a", 3),
    "reshape": lambda m: m.reshape(["a", "b"], (2, 1)),
    "take": lambda m: m.take(["a", "b"], [1, 0]),
    "take-computed": lambda m: m.take(["a", "b"], m.argsort([2.0, 1.0])),
    "atleast_1d": lambda m: m.atleast_1d("a"),
    "any": lambda m: m.any([None, Weight(1)]),
    "argmax": lambda m: m.argmax(["a", "b"]),
    "meshgrid": lambda m: m.meshgrid(["a", "b"], [1, 2]),
    "broadcast_to": lambda m: m.broadcast_to("a", (2,)),
    "block": lambda m: m.block([["a", "b"]]),
    "equal": lambda m: m.equal(["a"], ["b"]),
    "greater": lambda m: m.greater(["b"], ["a"]),
    "add": lambda m: m.add(["a"], ["b"]),
    "add-keyword": lambda m: m.add(["a"], ["b"], dtype=object),
    "sum-objects": lambda m: m.sum([Weight(1), Weight(2)]),
    "mean-fractions": lambda m: m.mean(THIRDS),
    "min-dates": lambda m: m.min(DAYS),
    "diff-dates": lambda m: m.diff(DAYS),
    "diff-datetime64": lambda m: m.diff(list(onp.array(["2020-01-01", "2020-02-01"], "M8[D]"))),
    "apply_along_axis": lambda m: m.apply_along_axis(lambda row: row[0] + row[1], 0, ["a", "b"]),
    "vectorize": lambda m: m.vectorize(len)(["a", "bcd"]),
    "vectorize-beside-numbers": lambda m: m.vectorize(lambda s, n: len(s) + n)(["a"], [1.0]),
}  # fmt: skip


def as_lists(x):
    if isinstance(x, list | tuple):
        return [as_lists(part) for part in x]
    return x.tolist() if isinstance(x, ag.Tensor | onp.ndarray | onp.generic) else x


@pytest.mark.parametrize("name", CALLS)
def test_lists_of_objects_are_numpys(name):
    ours, theirs = CALLS[name](np), CALLS[name](onp)
    assert as_lists(ours) == as_lists(theirs)
    assert getattr(ours, "dtype", None) == getattr(theirs, "dtype", None)


def test_lifted_code_counts_its_labels():
    def loss(x):
        names, counts = onp.unique(["b", "a", "b"], return_counts=True)
        signs = onp.where(x > 0, "up", "down")
        assert list(names) == ["a", "b"]
        assert list(signs) == ["up", "down"]
        return onp.sum(counts * x)

    assert onp.array_equal(ag.grad(loss)(onp.array([3.0, -2.0])), [1.0, 2.0])


REFUSED = {
    "where": lambda x: np.where([True, False], x, "b"),
    "concatenate": lambda x: np.concatenate([[x[0]], ["b"]]),
    "add": lambda x: np.add(x, [Weight(1), Weight(2)]),
    "sum": lambda x: np.sum([x, [Weight(1), Weight(2)]]),
    "out": lambda x: np.add(["a"], ["b"], out=np.zeros(1)),
    "put": lambda x: np.put(np.zeros(2), [0], ["1.5"]),
}


@pytest.mark.parametrize("name", REFUSED)
def test_gradients_beside_objects_and_writes_are_refused(name):
    with pytest.raises(TypeError):
        REFUSED[name](ag.tensor([1.0, 2.0], requires_grad=True))


def test_a_class_is_no_array():
    for cls in (onp.ndarray, ag.Tensor, int):
        with pytest.raises(ag.errors.DTypeError, match="classes such as"):
            ag.asarray(cls)
        with pytest.raises(ag.errors.DTypeError, match="not "):
            ag.asarray([cls])
