"""What messages say to somebody who comes from another library, or slips."""

import re
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arraygrad as ag

errors = ag.errors


def leaf(*shape: int) -> Any:
    return ag.tensor(np.ones(shape), requires_grad=True)


def no_return(x: Any) -> None:
    x * x


def twice(x: Any) -> Any:
    return 2 * x


two_for_one = ag.primitive(twice, vjp=lambda g, out, x: (2 * g, g))
wrong_shape = ag.primitive(twice, vjp=lambda g, out, x: np.ones(5))


@pytest.mark.parametrize("tracked", [False, True])
@pytest.mark.parametrize(
    ("text", "shapes", "words"),
    [
        ("ij,j", [(3,), (3,)], "operand 0 has 1 dimension, but 'ij' names 2"),
        ("ij", [(3,)], "operand 0 has 1 dimension, but 'ij' names 2"),
        ("i,j", [(2, 3), (3,)], "operand 0 has 2 dimensions, but 'i' names 1"),
        ("...ij,j", [(3,), (3,)], "operand 0 has 1 dimension, but '...ij' names 2"),
        ("ij,j", [(2, 3), (4,)], "label 'j' has size 3 in operand 0 and size 4 in operand 1"),
        ("a...j,j", [(2, 5, 3), (4,)], "label 'j' has size 3 in operand 0 and size 4"),
        ("ii->i", [(2, 3)], "label 'i' has the sizes 2 and 3"),
        ("ij,jk->ik", [(2, 3)], "names 2 operands, but 1 was given"),
        ("ij", [(2, 3), (2, 3)], "names 1 operand, but 2 were given"),
    ],
)
def test_einsum_says_which_operand_does_not_fit(
    text: str, shapes: list[tuple[int, ...]], words: str, tracked: bool
) -> None:
    operands = [ag.tensor(np.ones(s), requires_grad=tracked) for s in shapes]
    kind = errors.ArgumentError if "given" in words else errors.ShapeError
    with pytest.raises(kind, match=r"^einsum: ") as caught:
        np.einsum(text, *operands)  # type: ignore[call-overload]
    assert words in str(caught.value)


def test_einsum_with_lists_of_labels_says_which_operand_does_not_fit() -> None:
    with pytest.raises(errors.ShapeError, match=r"operand 1 has 1 dimension, but \[1, 2\] names 2"):
        ag.einsum(leaf(2, 3), [0, 1], leaf(3), [1, 2])


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda: ag.grad(two_for_one)(1.0), errors.ArgumentError,
         "the vjp of the primitive twice returned 2 gradients for 1 argument; return"),
        (lambda: ag.grad(wrong_shape)(1.0), errors.ShapeError,
         "the vjp of the primitive twice returned a gradient of shape (5,) for argument 1,"),
        (lambda: ag.ones(3).sum().backward(), errors.GradientError,
         "a tensor of shape () carries no gradient: none of what it was computed from requires "
         "grad (make that with ag.tensor(..., requires_grad=True))"),
        (lambda: ag.autograd.backward([leaf(), ag.ones(())]), errors.GradientError,
         "tensors[1]: a tensor of shape ()"),
        (lambda: ag.hvp(lambda x: (x * x).sum())(np.ones(3), np.ones(2)), errors.ShapeError,
         "the vector v has shape (2,)"),
        (lambda: ag.hvp(lambda x: (x["a"] ** 2).sum())({"a": np.ones(3)}, np.ones(3)),
         errors.ArgumentError, "the vector v has the leaves"),
        (lambda: ag.grad(lambda x: x.sum(), has_aux=True)(np.ones(3)), errors.ArgumentTypeError,
         "it returned one number"),
        (lambda: ag.grad(lambda x: x * x, has_aux=True)(np.ones(3)), errors.ArgumentTypeError,
         "it returned one array of shape (3,)"),
        (lambda: ag.grad(no_return)(1.0), errors.GradientError,
         "no_return returned None, not a number or array: is there a return missing?"),
        (lambda: ag.grad(no_return, has_aux=True)(1.0), errors.ArgumentTypeError,
         "it returned None: is there a return missing?"),
        (lambda: ag.lift(twice, packages="sklearn"), errors.ArgumentTypeError,
         "packages=['sklearn']"),
        (lambda: ag.lift(twice, packages=["nosuchpackage"]), errors.ArgumentError,
         "'nosuchpackage', but there is no such package"),
        (lambda: ag.lift(twice, packages=["os.nosuch.part"]), errors.ArgumentError,
         "there is no such package"),
        (lambda: ag.lift(twice, packages=[np]), errors.ArgumentTypeError, "takes names"),
        (lambda: ag.vjp(twice), errors.ArgumentError, "ag.vjp(twice, x)"),
        (lambda: ag.linearize(twice), errors.ArgumentError, "ag.linearize(twice, x)"),
        (lambda: ag.tensor([1.0], requires_grad="yes"),  # type: ignore[arg-type]
         errors.ArgumentTypeError, "requires_grad='yes' is a str; use True or False"),
        (lambda: ag.tensor([1.0], requires_grad=1), errors.ArgumentTypeError, "is a int"),
        (lambda: ag.tensor([1.0], requires_grad=None),  # type: ignore[arg-type]
         errors.ArgumentTypeError, "use True or False"),
        (lambda: leaf(2).zero_(), AttributeError, "or x.grad = None to start"),
    ],
)  # fmt: skip
def test_says_what_happened_and_what_to_type(
    call: Callable[[], Any], kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind) as caught:
        call()
    assert words in str(caught.value)


def test_numpy_booleans_say_whether_a_gradient_is_wanted() -> None:
    assert ag.tensor(1.0, requires_grad=np.True_).requires_grad  # type: ignore[arg-type]
    assert not ag.tensor(1.0, requires_grad=np.False_).requires_grad  # type: ignore[arg-type]


@pytest.mark.parametrize("name", errors.__all__)
def test_names_of_errors_are_found_where_they_are(name: str) -> None:
    with pytest.raises(AttributeError, match=f"write ag.errors.{name}$"):
        getattr(ag, name)


@pytest.mark.parametrize(
    ("owner", "name", "words"),
    [
        (ag, "zero_grad", "x.grad = None"),
        (ag, "detach", "x.detach()"),
        (ag, "ndarray", "ag.Tensor"),
        (ag, "load", "np.load(file)"),
        (ag, "save", "np.save(file, x.detach())"),
    ],
)
def test_hint_of_a_name(owner: Any, name: str, words: str) -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(owner, name)
    assert words in str(caught.value)


def test_what_is_listed_is_for_users() -> None:
    assert "TYPE_CHECKING" not in dir(ag)


# -- the grad of what is no leaf ------------------------------------------------------------------


def test_grad_of_a_result_is_told() -> None:
    w = leaf(3)
    (w * w).sum().backward()
    w = w - 0.1 * w.grad
    with pytest.warns(errors.GradientWarning, match=r"w -= rate \* w.grad.*retain_grad") as caught:
        assert w.grad is None
    assert caught[0].filename == __file__


def test_no_warning_where_a_missing_grad_is_no_surprise() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x = leaf(3)
        assert x.grad is None
        assert x.detach().grad is None
        assert ag.ones(3).grad is None
        y = x * x
        y.retain_grad()
        assert y.grad is None
        y.sum().backward()
        assert y.grad is not None
        z = x * 2
        z.sum().backward(inputs=[z])
        assert z.grad is not None


# -- installed packages in lifted code ------------------------------------------------------------


@pytest.mark.parametrize(
    ("package", "words"), [("pandas", '["x"].to_numpy()'), ("xarray", "x.data is the tensor")]
)
@pytest.mark.parametrize("lifted", [False, True])
def test_libraries_that_convert_tensors_say_what_to_write(
    package: str, words: str, lifted: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Played by a module of the name, in an installed place."""
    file = tmp_path / "site-packages" / package / "core.py"
    source = "import numpy as np\n\ndef values(x):\n    return np.asarray(x)\n"
    code = compile(source, str(file), "exec")
    namespace: dict[str, Any] = {"__name__": f"{package}.core", "__file__": str(file)}
    exec(code, namespace)
    values = namespace["values"]
    with pytest.raises(errors.DetachError) as caught:
        (ag.lift(lambda x: values(x)) if lifted else values)(leaf(2))
    assert words in str(caught.value)


def test_a_package_that_would_lose_a_gradient_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "site-packages"
    (folder / "some_installed_package").mkdir(parents=True)
    (folder / "some_installed_package" / "__init__.py").write_text(
        "import math\n\n\ndef sine(x):\n    return math.sin(float(x))\n"
    )
    monkeypatch.syspath_prepend(str(folder))
    import some_installed_package  # type: ignore[import-not-found]

    def f(x: Any) -> Any:
        return some_installed_package.sine(x) * x

    try:
        with pytest.raises(errors.DetachError) as caught:
            ag.lift(f)(leaf())
        assert 'packages=["some_installed_package"]' in str(caught.value)
        x = leaf()
        ag.lift(f, packages=["some_installed_package"])(x).backward()
        assert x.grad is not None
    finally:
        sys.modules.pop("some_installed_package", None)


KEYWORDS = {
    "zeros": (lambda **k: ag.zeros(3, **k), r"ag\.zeros\(\.\.\.\)\.requires_grad_\(\)"),
    "ones": (lambda **k: ag.ones(3, **k), r"ag\.ones\(\.\.\.\)\.requires_grad_\(\)"),
    "empty": (lambda **k: ag.empty(3, **k), r"requires_grad_\(\)"),
    "full": (lambda **k: ag.full(3, 1.0, **k), r"requires_grad_\(\)"),
    "eye": (lambda **k: ag.eye(3, **k), r"requires_grad_\(\)"),
    "arange": (lambda **k: ag.arange(3.0, **k), r"requires_grad_\(\)"),
    "linspace": (lambda **k: ag.linspace(0, 1, 3, **k), r"requires_grad_\(\)"),
    "zeros_like": (lambda **k: ag.zeros_like(ag.ones(3), **k), r"requires_grad_\(\)"),
    "ones_like": (lambda **k: ag.ones_like(ag.ones(3), **k), r"requires_grad_\(\)"),
    "empty_like": (lambda **k: ag.empty_like(ag.ones(3), **k), r"requires_grad_\(\)"),
    "full_like": (lambda **k: ag.full_like(ag.ones(3), 1.0, **k), r"requires_grad_\(\)"),
}


@pytest.mark.parametrize("name", KEYWORDS)
def test_keywords_of_torch_are_refused_with_the_remedy(name: str) -> None:
    make, words = KEYWORDS[name]
    with pytest.raises(ag.errors.ArgumentTypeError, match=f"{name}: .*requires_grad=; .*{words}"):
        make(requires_grad=True)
    with pytest.raises(ag.errors.ArgumentTypeError, match=f"{name}: there is no keyword colour="):
        make(colour=True)


SHAPES = {
    "zeros(2, 3)": (lambda: ag.zeros(2, 3), "ag.zeros((2, 3))"),
    "ones(2, 3)": (lambda: ag.ones(2, 3), "ag.ones((2, 3))"),
    "empty(2, 3, 4)": (lambda: ag.empty(2, 3, 4), "ag.empty((2, 3, 4))"),
    "full(2, 3, 1.5)": (lambda: ag.full(2, 3, 1.5), "ag.full((2, 3), 1.5)"),
    "full(2, 3, 4)": (lambda: ag.full(2, 3, 4), "ag.full((2, 3), 4)"),
    "full(2, 1.5, float)": (lambda: ag.full(2, 1.5, float), "ag.full(2, 1.5, dtype=float)"),
    "zeros(2, float)": (lambda: ag.zeros(2, float), "ag.zeros(2, dtype=float)"),
    "zeros((2, 3), float)": (lambda: ag.zeros((2, 3), float), "ag.zeros((2, 3), dtype=float)"),
    "zeros(2, 3, 'float32')": (
        lambda: ag.zeros(2, 3, "float32"), "ag.zeros((2, 3), dtype=float32)",
    ),
    "ones(3, 3, requires_grad)": (
        lambda: ag.ones(3, 3, requires_grad=True), "ag.ones((3, 3)).requires_grad_()",
    ),
    "zeros(2.0, 3)": (lambda: ag.zeros(2.0, 3), "zeros: the shape is one argument"),
}  # fmt: skip


@pytest.mark.parametrize("name", SHAPES)
def test_shapes_of_several_arguments_are_refused_with_the_remedy(name: str) -> None:
    """Python said that zeros() takes 1 positional argument but 2 were given."""
    make, words = SHAPES[name]
    with pytest.raises(ag.errors.ArgumentTypeError, match=re.escape(words)):
        make()


@pytest.mark.parametrize(("keyword", "ours"), [("dim", "axis"), ("keepdim", "keepdims")])
def test_keywords_of_torch_in_numpys_functions(keyword: str, ours: str) -> None:
    """The message named the place in our code: _reduction.<locals>.reduce()."""
    for call in (ag.numpy.sum, ag.numpy.max, ag.numpy.mean, ag.numpy.cumsum):
        words = f"^np.{call.__name__}: there is no keyword {keyword}=; write {ours}= for it$"
        with pytest.raises(ag.errors.ArgumentTypeError, match=words):
            call(ag.ones((2, 3)), **{keyword: 1})
        with pytest.raises(ag.errors.ArgumentTypeError, match=r"there is no keyword colour=$"):
            call(ag.ones((2, 3)), colour=1)


@pytest.mark.parametrize(("keyword", "ours"), [("dim", "axis"), ("keepdim", "keepdims")])
def test_keywords_of_torch_in_methods_in_lifted_code(keyword: str, ours: str) -> None:
    """The note said that the line needs NumPy's own arrays."""
    for name in ("sum", "mean", "max", "var"):
        with pytest.raises(TypeError, match=f"unexpected keyword argument '{keyword}'") as caught:
            ag.grad(lambda x, name=name: getattr(x, name)(**{keyword: 0}))(np.ones((2, 3)))
        (note,) = caught.value.__notes__
        assert note.endswith(f"\nthere is no keyword {keyword}=; write {ours}= for it")
