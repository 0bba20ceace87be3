"""Grey morphology and filters along one axis: largest and smallest values of windows."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from ._borders import windows
from ._rule import needs_rule, plain, refuse, rule, scipy_object, tensor, xp
from ._sampling import map_coordinates


def _each(value: Any, n: int) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value] * n


def _extreme(
    name: str, input: Any, size: Any, footprint: Any, structure: Any, output: Any, mode: Any,
    cval: Any, origin: Any, axes: Any,
) -> Any:  # fmt: skip
    """Erosion (smallest value of the window less the structure) or dilation."""
    erodes = name == "grey_erosion"
    if size is None and footprint is None and structure is None:
        raise ValueError("size, footprint, or structure must be specified")
    if output is not None and not isinstance(output, type | np.dtype | str):
        raise refuse(f"scipy.ndimage.{name}", "with output=", "use the result")
    if axes is not None:
        raise refuse(f"scipy.ndimage.{name}", "with axes=", "give a size of 1 to the other axes")
    x = tensor(input, f"scipy.ndimage.{name}")
    height = None if structure is None else tensor(structure, f"scipy.ndimage.{name}", 4)
    if footprint is not None:
        inside = np.asarray(plain(footprint), bool)
    elif height is not None:
        inside = np.ones(height.shape, bool)
    else:
        inside = np.ones([int(n) for n in _each(plain(size), x.ndim)], bool)
    origins = _each(origin, x.ndim)
    if not erodes:  # SciPy mirrors the window
        inside = np.flip(inside)
        height = None if height is None else xp.flip(height)
        origins = [-o - (n % 2 == 0) for o, n in zip(origins, inside.shape, strict=True)]
    seen = windows(x, inside.shape, _each(mode, x.ndim), cval, origins).reshape((*x.shape, -1))
    if height is not None:
        seen = seen - height.reshape(-1) if erodes else seen + height.reshape(-1)
    seen = seen[..., np.flatnonzero(inside)]
    return (xp.min if erodes else xp.max)(seen, axis=-1)


def _morphology(name: str) -> Callable[..., Any]:
    @rule(f"scipy.ndimage.{name}")
    def function(
        input: Any, size: Any = None, footprint: Any = None, structure: Any = None,
        output: Any = None, mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0, *,
        axes: Any = None,
    ) -> Any:  # fmt: skip
        return _extreme(name, input, size, footprint, structure, output, mode, cval, origin, axes)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = "Largest or smallest value in the window; ties share the gradient."
    return function


grey_dilation = _morphology("grey_dilation")
grey_erosion = _morphology("grey_erosion")


def _composed(name: str, steps: Callable[..., Any]) -> Callable[..., Any]:
    @rule(f"scipy.ndimage.{name}")
    def function(
        input: Any, size: Any = None, footprint: Any = None, structure: Any = None,
        output: Any = None, mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0, *,
        axes: Any = None,
    ) -> Any:  # fmt: skip
        x = tensor(input, f"scipy.ndimage.{name}")
        given = (size, footprint, structure, output, mode, cval, origin)
        return steps(
            x, lambda y: grey_erosion(y, *given, axes=axes),
            lambda y: grey_dilation(y, *given, axes=axes),
        )  # fmt: skip

    function.__name__ = function.__qualname__ = name
    function.__doc__ = "Made of `grey_erosion` and `grey_dilation`."
    return function


grey_closing = _composed("grey_closing", lambda x, erode, dilate: erode(dilate(x)))
grey_opening = _composed("grey_opening", lambda x, erode, dilate: dilate(erode(x)))
black_tophat = _composed("black_tophat", lambda x, erode, dilate: erode(dilate(x)) - x)
white_tophat = _composed("white_tophat", lambda x, erode, dilate: x - dilate(erode(x)))
morphological_gradient = _composed(
    "morphological_gradient", lambda x, erode, dilate: dilate(x) - erode(x)
)
morphological_laplace = _composed(
    "morphological_laplace", lambda x, erode, dilate: dilate(x) + erode(x) - 2 * x
)

# -- along one axis, and with functions of the program ---------------------------------------------


def _along_axis(
    name: str, input: Any, size: int, axis: int, output: Any, mode: str, cval: Any, origin: int
) -> Any:
    x = tensor(input, f"scipy.ndimage.{name}1d")
    sizes, origins = [1] * x.ndim, [0] * x.ndim
    sizes[axis], origins[axis] = int(size), origin
    filtered = getattr(import_module("arraygrad.scipy.ndimage"), name)  # it lies above
    return filtered(x, tuple(sizes), None, output, mode, cval, tuple(origins))


@rule("scipy.ndimage.maximum_filter1d")
def maximum_filter1d(
    input: Any, size: int, axis: int = -1, output: Any = None, mode: str = "reflect",
    cval: Any = 0.0, origin: int = 0,
) -> Any:  # fmt: skip
    """Largest value in the window along an axis."""
    return _along_axis("maximum_filter", input, size, axis, output, mode, cval, origin)


@rule("scipy.ndimage.minimum_filter1d")
def minimum_filter1d(
    input: Any, size: int, axis: int = -1, output: Any = None, mode: str = "reflect",
    cval: Any = 0.0, origin: int = 0,
) -> Any:  # fmt: skip
    """Smallest value in the window along an axis."""
    return _along_axis("minimum_filter", input, size, axis, output, mode, cval, origin)


@rule("scipy.ndimage.geometric_transform")
def geometric_transform(
    input: Any, mapping: Any, output_shape: Any = None, output: Any = None, order: int = 3,
    mode: str = "constant", cval: Any = 0.0, prefilter: bool = True, extra_arguments: Any = (),
    extra_keywords: Any = None,
) -> Any:  # fmt: skip
    """The array at places that a function of the program gives for each place of the result."""
    if not callable(mapping):
        raise refuse("scipy.ndimage.geometric_transform", "through compiled functions")
    x = tensor(input, "scipy.ndimage.geometric_transform")
    shape = x.shape if output_shape is None else tuple(output_shape)
    given = extra_keywords or {}
    places = [mapping(place, *extra_arguments, **given) for place in np.ndindex(*shape)]
    rows = xp.stack([xp.stack([xp.asarray(c, dtype=float) for c in place]) for place in places])
    at = rows.T.reshape((x.ndim, *shape))
    return map_coordinates(x, at, output, order, mode, cval, prefilter)


# -- in the domain of frequencies: products with numbers that do not depend on the input -----------


def _of_spectrum(name: str, parameter: str) -> Callable[..., Any]:
    def function(input: Any, *args: Any, **options: Any) -> Any:
        real = scipy_object(f"scipy.ndimage.{name}")
        x = tensor(input, f"scipy.ndimage.{name}")
        if "output" in options or len(args) > 3:
            raise refuse(f"scipy.ndimage.{name}", "with output=", "use the result")
        if needs_rule(args, options):
            raise refuse(f"scipy.ndimage.{name}", f"by its {parameter}",
                         "multiply with the window, written with NumPy's functions")  # fmt: skip
        ones = np.ones(x.shape, dtype=complex if name == "fourier_shift" else float)
        window = real(ones, *plain(args), **plain(options))
        return x * window

    function.__name__ = function.__qualname__ = name
    function.__doc__ = "The spectrum times a window that does not depend on it."
    return rule(f"scipy.ndimage.{name}")(function)


fourier_ellipsoid = _of_spectrum("fourier_ellipsoid", "size")
fourier_gaussian = _of_spectrum("fourier_gaussian", "sigma")
fourier_shift = _of_spectrum("fourier_shift", "shift")
fourier_uniform = _of_spectrum("fourier_uniform", "size")
