"""Stand-ins for ``scipy.spatial.transform``: rotations as unit quaternions, scalar last.

Where SciPy chooses (the larger component of a matrix, the sign of a quaternion, series near 0) the
choice is by values, as SciPy's, so that values agree; derivatives are those of rotations.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np

from ... import linalg as core
from .._rule import (
    needs_rule,
    plain,
    policed,
    refuse,
    scipy_object,
    tensor,
    without_method,
    xp,
)

_NAME = "scipy.spatial.transform.Rotation"


def _real() -> Any:
    return scipy_object(_NAME)


def _root(x: Any) -> Any:
    """Square root with derivative 0 at 0."""
    zero = plain(x) == 0
    return xp.where(zero, 0.0, xp.sqrt(xp.where(zero, 1.0, x)))


def _unit(quat: Any) -> Any:
    return quat / xp.sqrt(xp.sum(quat * quat, axis=-1, keepdims=True))


def _product(p: Any, q: Any) -> Any:
    """The Hamilton product of quaternions, which broadcast."""
    a, b, c, d = (p[..., i] for i in range(4))
    e, f, g, h = (q[..., i] for i in range(4))
    return xp.stack([
        d * e + h * a + b * g - c * f, d * f + h * b + c * e - a * g,
        d * g + h * c + a * f - b * e, d * h - a * e - b * f - c * g,
    ], axis=-1)  # fmt: skip


def _in_radians(angles: Any, degrees: bool) -> Any:
    return angles * (np.pi / 180.0) if degrees else angles


def _in_asked(angles: Any, degrees: bool) -> Any:
    return angles * (180.0 / np.pi) if degrees else angles


# -- between quaternions and other forms ----------------------------------------------------------


def _quat_of_matrix(m: Any) -> Any:
    """The quaternion of orthogonal matrices, by the largest of its components."""
    entry = [[m[..., i, j] for j in range(3)] for i in range(3)]
    trace = entry[0][0] + entry[1][1] + entry[2][2]
    sizes = np.stack([plain(entry[i][i]) for i in range(3)] + [plain(trace)], axis=-1)
    forms = []
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        parts: list[Any] = [None] * 4
        parts[i] = 1.0 - trace + 2.0 * entry[i][i]
        parts[j] = entry[j][i] + entry[i][j]
        parts[k] = entry[k][i] + entry[i][k]
        parts[3] = entry[k][j] - entry[j][k]
        forms.append(xp.stack(parts, axis=-1))
    last = [entry[2][1] - entry[1][2], entry[0][2] - entry[2][0], entry[1][0] - entry[0][1]]
    forms.append(xp.stack([*last, 1.0 + trace], axis=-1))
    choice = np.argmax(sizes, axis=-1)[..., None]
    quat = forms[3]
    for i in range(3):
        quat = xp.where(choice == i, forms[i], quat)
    return _unit(quat)


def _orthogonal(m: Any) -> Any:
    """The nearest rotation: Newton's iteration of the polar factor, which derivatives pass."""
    for step in range(60):
        new = (m + xp.swapaxes(core.inv(m), -1, -2)) / 2.0
        change = float(np.max(np.abs(plain(new) - plain(m)), initial=0.0))
        m = new
        if change < 1e-14 and step > 1:  # the second step is for second derivatives
            break
    return m


@functools.cache
def _takes_nearest() -> bool:
    """Whether this SciPy makes matrices orthogonal first; older ones read them as they are."""
    shear = np.array([[1.0, 0.2, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    left, _, right = np.linalg.svd(shear)
    return bool(np.allclose(_real().from_matrix(shear).as_matrix(), left @ right))


def _quat_of_vector(vector: Any) -> Any:
    square = xp.sum(vector * vector, axis=-1, keepdims=True)
    small = plain(square) <= 1e-6
    angle = xp.sqrt(xp.where(small, 1.0, square))
    near = 0.5 - square / 48.0 + square * square / 3840.0
    scale = xp.where(small, near, xp.sin(angle / 2.0) / angle)
    near = 1.0 - square / 8.0 + square**2 / 384.0 - square**3 / 46080.0
    return xp.concatenate([scale * vector, xp.where(small, near, xp.cos(angle / 2.0))], axis=-1)


def _vector_of_quat(quat: Any) -> Any:
    quat = xp.where(plain(quat)[..., 3:] < 0, -quat, quat)
    part = quat[..., :3]
    square = xp.sum(part * part, axis=-1, keepdims=True)
    small = plain(square) <= 2.5e-7
    length = xp.sqrt(xp.where(small, 1.0, square))
    near = 2.0 + square / 3.0 + 3.0 * square**2 / 20.0 + 5.0 * square**3 / 56.0
    return xp.where(small, near, 2.0 * xp.arctan2(length, quat[..., 3:]) / length) * part


def _matrix_of_quat(quat: Any) -> Any:
    x, y, z, w = (quat[..., i] for i in range(4))
    xx, yy, zz, ww = x * x, y * y, z * z, w * w
    rows = [
        [xx - yy - zz + ww, 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
        [2.0 * (x * y + z * w), -xx + yy - zz + ww, 2.0 * (y * z - x * w)],
        [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), -xx - yy + zz + ww],
    ]
    return xp.stack([xp.stack(row, axis=-1) for row in rows], axis=-2)


def _axes(seq: str) -> tuple[list[int], bool]:
    """The axes of a sequence, and whether its rotations are about fixed axes."""
    return ["xyz".index(letter) for letter in seq.lower()], seq == seq.lower()


def _angles_of_quat(quat: Any, axes: list[int], fixed: bool) -> Any:
    i, j, k = axes if fixed else axes[::-1]
    proper = i == k
    if proper:
        k = 3 - i - j
    sign = (i - j) * (j - k) * (k - i) // 2
    qi, qj, qk, qw = quat[..., i], quat[..., j], quat[..., k] * sign, quat[..., 3]
    a, b, c, d = (qw, qi, qj, qk) if proper else (qw - qj, qi + qk, qj + qw, qk - qi)
    middle = 2.0 * xp.arctan2(_root(c * c + d * d), _root(a * a + b * b))
    flat, turned = np.abs(plain(middle)) <= 1e-7, np.abs(plain(middle) - np.pi) <= 1e-7
    locked = flat | turned
    # Where the pair is 0 its angle is any: SciPy sets the third to 0.
    half_sum = xp.arctan2(xp.where(turned, 0.0, b), xp.where(turned, 1.0, a))
    half_difference = xp.arctan2(xp.where(flat, 0.0, d), xp.where(flat, 1.0, c))
    first, third = half_sum - half_difference, half_sum + half_difference
    if not fixed:
        first, third = third, first
    if not proper:
        middle = middle - np.pi / 2.0
        if fixed:
            third = third * sign
        else:
            first = first * sign
    if np.any(locked):
        warnings.warn(
            "Gimbal lock detected. Setting third angle to zero since it is not possible to "
            "uniquely determine all angles.",
            stacklevel=4,
        )
        alone = xp.where(flat, 2.0 * half_sum, (-2.0 if fixed else 2.0) * half_difference)
        if not (proper or fixed):
            alone = alone * sign
        first, third = xp.where(locked, alone, first), xp.where(locked, 0.0, third)
    angles = xp.stack([first, middle, third], axis=-1)
    size = plain(angles)
    return angles + 2.0 * np.pi * ((size < -np.pi).astype(float) - (size > np.pi))


class Rotation:
    """Stand-in for ``scipy.spatial.transform.Rotation``: rotations in three dimensions.

    Notes
    -----
    Differentiable in whatever it is made of; from matrices through the nearest rotation, where
    SciPy makes them orthogonal.
    """

    def __init__(
        self, quat: Any, normalize: bool = True, copy: bool = True, scalar_first: bool = False
    ) -> None:
        quat = tensor(quat, f"{_NAME}.from_quat")
        _real().from_quat(plain(quat))  # SciPy's errors
        if scalar_first:
            quat = xp.roll(quat, -1, axis=-1)
        self._quat = _unit(quat) if normalize else quat

    @classmethod
    def _of(cls, quat: Any) -> Any:
        made = object.__new__(cls)
        made._quat = quat
        return made

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if not hasattr(_real(), name):
            raise without_method("a rotation", name)

        @policed
        def method(*args: Any, **kwargs: Any) -> Any:
            if needs_rule(self._quat, args, kwargs):
                raise refuse(f"{_NAME}.{name}", "here")
            return over_all(getattr(self._as_scipys(), name)(*map(_plain, args), **kwargs))

        return method

    def _as_scipys(self) -> Any:
        return _real().from_quat(plain(self._quat))

    # -- made from --------------------------------------------------------------------------------

    @classmethod
    def from_quat(cls, quat: Any, *, scalar_first: bool = False) -> Any:
        """From quaternions, which are made of unit length."""
        return cls(quat, scalar_first=scalar_first)

    @classmethod
    def from_matrix(cls, matrix: Any, *, assume_valid: bool = False) -> Any:
        """From matrices, by the nearest rotation."""
        m = tensor(matrix, f"{_NAME}.from_matrix")
        _real().from_matrix(plain(m))  # SciPy's errors
        as_it_is = assume_valid or not _takes_nearest()
        return cls._of(_quat_of_matrix(m if as_it_is else _orthogonal(m)))

    @classmethod
    def from_rotvec(cls, rotvec: Any, degrees: bool = False) -> Any:
        """From vectors along the axis, as long as the angle."""
        vector = tensor(rotvec, f"{_NAME}.from_rotvec")
        _real().from_rotvec(plain(vector))
        return cls._of(_quat_of_vector(_in_radians(vector, degrees)))

    @classmethod
    def from_mrp(cls, mrp: Any) -> Any:
        """From modified Rodrigues parameters."""
        mrp = tensor(mrp, f"{_NAME}.from_mrp")
        _real().from_mrp(plain(mrp))
        size = 1.0 + xp.sum(mrp * mrp, axis=-1, keepdims=True)
        return cls._of(xp.concatenate([2.0 * mrp / size, (2.0 - size) / size], axis=-1))

    @classmethod
    def from_euler(cls, seq: str, angles: Any, degrees: bool = False) -> Any:
        """From angles about axes, which are fixed (small letters) or turn with the body."""
        angles = tensor(angles, f"{_NAME}.from_euler", 2)
        _real().from_euler(seq, plain(angles))  # SciPy's errors
        axes, fixed = _axes(seq)
        if len(axes) == 1 and angles.ndim < 2:
            angles = angles[..., None]
        half = _in_radians(angles, degrees) / 2.0
        total = None
        for n, axis in enumerate(axes):
            parts = [xp.zeros_like(half[..., n])] * 3
            parts[axis] = xp.sin(half[..., n])
            one = xp.stack([*parts, xp.cos(half[..., n])], axis=-1)
            if total is None:
                total = one
            else:
                total = _product(one, total) if fixed else _product(total, one)
        return cls._of(total)

    @classmethod
    def identity(cls, num: int | None = None, **kwargs: Any) -> Any:
        """Rotations by nothing."""
        return over(_real().identity(num, **kwargs))

    @classmethod
    def random(cls, *args: Any, **kwargs: Any) -> Any:
        """Random rotations, as SciPy draws them."""
        return over(_real().random(*map(_plain, args), **{k: _plain(v) for k, v in kwargs.items()}))

    @classmethod
    def create_group(cls, *args: Any, **kwargs: Any) -> Any:
        """The rotations of a group."""
        return over(_real().create_group(*args, **kwargs))

    @classmethod
    def concatenate(cls, rotations: Any) -> Any:
        """One object of several."""
        if isinstance(rotations, Rotation):
            return cls._of(rotations._quat)
        return cls._of(xp.concatenate([xp.atleast_2d(over(r)._quat) for r in rotations]))

    @classmethod
    @policed
    def align_vectors(cls, a: Any, b: Any, weights: Any = None, *args: Any, **kwargs: Any) -> Any:
        """SciPy's, of plain values."""
        if needs_rule(a, b, weights):
            raise refuse(f"{_NAME}.align_vectors", "by the vectors", "use np.linalg.svd of b.T @ a")
        found = _real().align_vectors(_plain(a), _plain(b), _plain(weights), *args, **kwargs)
        return (over(found[0]), *found[1:])

    # -- given as ---------------------------------------------------------------------------------

    def as_quat(self, canonical: bool = False, *, scalar_first: bool = False) -> Any:
        """As unit quaternions."""
        quat = self._quat
        if canonical:
            q = plain(quat)
            key = np.zeros(q.shape[:-1], bool)
            undecided = np.ones(q.shape[:-1], bool)
            for i in (3, 0, 1, 2):
                key |= undecided & (q[..., i] < 0)
                undecided &= q[..., i] == 0
            quat = xp.where(key[..., None], -quat, quat)
        return xp.roll(quat, 1, axis=-1) if scalar_first else quat * 1.0

    def as_matrix(self) -> Any:
        """As matrices."""
        return _matrix_of_quat(self._quat)

    def as_rotvec(self, degrees: bool = False) -> Any:
        """As vectors along the axis, as long as the angle."""
        return _in_asked(_vector_of_quat(self._quat), degrees)

    def as_mrp(self) -> Any:
        """As modified Rodrigues parameters."""
        quat = xp.where(plain(self._quat)[..., 3:] < 0, -self._quat, self._quat)
        return quat[..., :3] / (1.0 + quat[..., 3:])

    def as_euler(self, seq: str, degrees: bool = False, **kwargs: Any) -> Any:
        """As angles about axes."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._as_scipys().as_euler(seq)  # SciPy's errors
        axes, fixed = _axes(seq)
        return _in_asked(_angles_of_quat(self._quat, axes, fixed), degrees)

    def magnitude(self) -> Any:
        """The angles."""
        part = self._quat[..., :3]
        return 2.0 * xp.arctan2(_root(xp.sum(part * part, axis=-1)), xp.abs(self._quat[..., 3]))

    # -- used -------------------------------------------------------------------------------------

    def apply(self, vectors: Any, inverse: bool = False) -> Any:
        """Vectors, rotated."""
        vectors = tensor(vectors, f"{_NAME}.apply")
        self._as_scipys().apply(plain(vectors))  # SciPy's errors
        matrix = self.as_matrix()
        if inverse:
            matrix = xp.swapaxes(matrix, -1, -2)
        return xp.sum(matrix * vectors[..., None, :], axis=-1)

    def __mul__(self, other: Any) -> Any:
        if not isinstance(other, Rotation) and not isinstance(other, _real()):
            return NotImplemented
        return type(self)._of(_unit(_product(self._quat, over(other)._quat)))

    def __rmul__(self, other: Any) -> Any:
        return over(other) * self if isinstance(other, _real()) else NotImplemented

    def __pow__(self, n: float, modulus: Any = None) -> Any:
        if modulus is not None:
            raise NotImplementedError("modulus not supported")
        if not needs_rule(n) and plain(n) == -1:
            return self.inv()
        if not needs_rule(n) and plain(n) == 1:
            return type(self)._of(self._quat)
        return type(self).from_rotvec(n * self.as_rotvec())

    def inv(self) -> Any:
        """The inverse rotations."""
        return type(self)._of(self._quat * np.array([-1.0, -1.0, -1.0, 1.0]))

    def mean(self, weights: Any = None, **kwargs: Any) -> Any:
        """The mean by chordal distance."""
        weights = xp.ones(self._quat.shape[0]) if weights is None else tensor(weights, _NAME)
        self._as_scipys().mean(plain(weights), **kwargs)
        sums = xp.swapaxes(self._quat, -1, -2) * weights @ self._quat
        return type(self)._of(core.eigh(sums)[1][:, -1])

    def approx_equal(self, other: Any, atol: Any = None, degrees: bool = False) -> Any:
        """Whether the angle between is small."""
        theirs = over(other)._as_scipys()
        return self._as_scipys().approx_equal(theirs, _plain(atol), degrees)

    @property
    def single(self) -> bool:
        """Whether this is one rotation."""
        return bool(self._quat.ndim == 1)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the rotations."""
        return tuple(self._quat.shape[:-1])

    def __len__(self) -> int:
        if self.single:
            raise TypeError("Single rotation has no len().")
        return int(self._quat.shape[0])

    def __bool__(self) -> bool:
        return True

    def __getitem__(self, index: Any) -> Any:
        if self.single:
            raise TypeError("Single rotation is not subscriptable.")
        return type(self)._of(self._quat[index])

    def __setitem__(self, index: Any, value: Any) -> None:
        if self.single:
            raise TypeError("Single rotation is not subscriptable.")
        quat = self._quat * 1.0
        quat[index] = over(value)._quat
        self._quat = quat

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return repr(self._as_scipys())


class Slerp:
    """Stand-in for ``scipy.spatial.transform.Slerp``: rotations between rotations in time."""

    def __init__(self, times: Any, rotations: Any) -> None:
        rotations = over(rotations)
        times = tensor(times, "scipy.spatial.transform.Slerp")
        module = import_module("scipy.spatial.transform")
        module.Slerp(plain(times), rotations._as_scipys())  # its errors
        self.times = times
        self.timedelta = times[1:] - times[:-1]
        self.rotations = rotations[:-1]
        self.rotvecs = (self.rotations.inv() * rotations[1:]).as_rotvec()

    def __call__(self, times: Any) -> Any:
        """The rotations at `times`."""
        at = tensor(times, "scipy.spatial.transform.Slerp")
        known, asked = plain(self.times), plain(at)
        if asked.ndim > 1:
            raise ValueError("`times` must be at most 1-dimensional.")
        index = np.searchsorted(known, asked) - 1
        index = np.where(asked == known[0], 0, index)
        if np.any((index < 0) | (index > len(known) - 2)):
            raise ValueError(f"Interpolation times must be within the range [{known[0]}, "
                             f"{known[-1]}], both inclusive.")  # fmt: skip
        alpha = (at - self.times[index]) / self.timedelta[index]
        turn = Rotation.from_rotvec(self.rotvecs[index] * alpha[..., None])
        return self.rotations[index] * turn


def _plain(x: Any) -> Any:
    return x._as_scipys() if isinstance(x, Rotation) else plain(x)


def over(rotation: Any) -> Any:
    """Ours for rotations of SciPy."""
    if isinstance(rotation, Rotation):
        return rotation
    return Rotation._of(xp.asarray(rotation.as_quat()))


def over_all(found: Any) -> Any:
    """The result of a method of SciPy's, its rotations ours."""
    if isinstance(found, tuple):
        return tuple(map(over_all, found))
    return over(found) if isinstance(found, _real()) else found
