"""``scipy.spatial.transform``: values as SciPy's, gradients as finite differences."""

import warnings

import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp

import arraygrad as ag

from .checking import check

VECTOR = np.array([0.3, 0.5, -0.7])
VECTORS = np.array([[0.3, 0.5, -0.7], [1.2, -0.4, 2.1], [-2.0, 1.5, 0.3], [0.01, 0.0, 0.02]])
QUATS = np.array([[0.1, 0.2, 0.3, 0.9], [0.7, -0.2, 0.1, -0.4], [0.5, 0.9, -0.1, 0.05]])
MATRICES = Rotation.from_rotvec(VECTORS).as_matrix()
POINTS = np.array([[1.0, 2.0, 3.0], [0.4, -1.0, 0.2], [0.1, 0.5, 0.6], [2.0, 0.3, -0.4]])
KNOWN = Rotation.from_euler("xyz", [0.1, 0.2, 0.3])

ROWS = {
    "from_rotvec": (lambda v: Rotation.from_rotvec(v).as_matrix(), (VECTOR,)),
    "from_rotvec, several": (lambda v: Rotation.from_rotvec(v).as_quat(), (VECTORS,)),
    "from_rotvec in degrees": (
        lambda v: Rotation.from_rotvec(50 * v, degrees=True).as_rotvec(degrees=True), (VECTORS,),
    ),
    "from_quat": (lambda q: Rotation.from_quat(q).as_matrix(), (QUATS,)),
    "from_quat, scalar first": (
        lambda q: Rotation.from_quat(np.roll(q, 1, axis=-1)).as_quat(canonical=True), (QUATS,),
    ),
    "from_matrix": (lambda m: Rotation.from_matrix(m).as_quat(), (MATRICES,)),
    "from_matrix of another": (
        lambda m: Rotation.from_matrix(m).as_rotvec(), (MATRICES[1] + 0.1 * np.ones((3, 3)),),
    ),
    "from_mrp": (lambda v: Rotation.from_mrp(v).as_matrix(), (0.5 * VECTORS,)),
    "as_mrp": (lambda q: Rotation.from_quat(q).as_mrp(), (QUATS,)),
    "as_rotvec": (lambda q: Rotation.from_quat(q).as_rotvec(), (QUATS,)),
    "magnitude": (lambda q: Rotation.from_quat(q).magnitude(), (QUATS,)),
    "apply": (lambda v, p: Rotation.from_rotvec(v).apply(p), (VECTOR, POINTS)),
    "apply each": (lambda v, p: Rotation.from_rotvec(v).apply(p, inverse=True), (VECTORS, POINTS)),
    "apply to one": (lambda v, p: Rotation.from_rotvec(v).apply(p), (VECTORS, POINTS[0])),
    "products": (
        lambda v, w: (Rotation.from_rotvec(v) * KNOWN * Rotation.from_rotvec(w).inv()).as_quat(),
        (VECTOR, VECTORS),
    ),
    "powers": (
        lambda v: [
            (Rotation.from_rotvec(v) ** n).as_matrix() for n in (0, 1, -1, 2, 0.25, -1.5)
        ],
        (VECTORS[:3],),
    ),
    "one angle": (lambda a: Rotation.from_euler("z", a).as_matrix(), (0.4,)),
    "an angle each": (lambda a: Rotation.from_euler("x", a[:, None]).as_quat(), (VECTOR,)),
    "in degrees": (lambda a: Rotation.from_euler("Y", 30 * a, degrees=True).as_quat(), (0.7,)),
    "two angles": (lambda a: Rotation.from_euler("xz", a[:, :2]).as_matrix(), (VECTORS,)),
    "items": (
        lambda v: [r.as_quat() for r in Rotation.from_rotvec(v)[1:]]
        + [Rotation.concatenate([KNOWN, Rotation.from_rotvec(v[:2])]).as_quat()],
        (VECTORS,),
    ),
    "mean": (
        lambda v: Rotation.from_rotvec(v).mean([1.0, 2.0, 0.5, 1.0]).as_matrix(), (0.3 * VECTORS,),
    ),
    "Slerp": (
        lambda v, t: Slerp([0.0, 1.0, 2.5, 4.0], Rotation.from_rotvec(v))(t).as_rotvec(),
        (VECTORS, np.array([0.3, 1.7, 2.3, 3.9])),
    ),
    "Slerp at one time": (
        lambda t: Slerp([0.0, 1.0, 2.5, 4.0], Rotation.from_rotvec(VECTORS))(t).as_quat(), (1.2,),
    ),
}  # fmt: skip
SEQUENCES = ("xyz", "ZYX", "zxz", "YXY", "XZY", "yzx", "xyx", "ZXZ")


@pytest.mark.parametrize("name", ROWS)
def test_value_and_derivatives(name):
    f, arguments = ROWS[name]
    check(f, *arguments, rtol=2e-6)


@pytest.mark.parametrize("seq", SEQUENCES)
def test_angles_of_every_kind(seq):
    check(lambda q: Rotation.from_quat(q).as_euler(seq), QUATS, order=1)
    check(lambda a: Rotation.from_euler(seq, a).as_matrix(), VECTORS)
    check(lambda a: Rotation.from_euler(seq, a, degrees=True).as_euler(seq, True), 20 * VECTOR)


@pytest.mark.parametrize("seq", SEQUENCES)
@pytest.mark.parametrize("half_turn", [0, 1])
def test_gimbal_lock_is_chosen_as_by_scipy(seq, half_turn):
    lock = np.pi * half_turn if seq[0] == seq[2] else np.pi * (half_turn - 0.5)
    angles = np.array([0.4, lock, 0.3])

    def f(a):
        return Rotation.from_euler(seq, a).as_euler(seq)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = f(angles)
    with pytest.warns(UserWarning, match="Gimbal lock"):
        found = ag.lift(f)(ag.tensor(angles, requires_grad=True))
    np.testing.assert_allclose(found.detach(), expected, atol=1e-7)


def test_no_rotation_has_derivatives():
    check(lambda v: Rotation.from_rotvec(v).apply([1.0, 2.0, 3.0]), np.zeros(3))
    check(lambda v: Rotation.from_rotvec(v).as_rotvec(), np.zeros(3))
    assert ag.grad(lambda v: Rotation.from_rotvec(v).magnitude())(np.zeros(3)).tolist() == [0, 0, 0]


def test_objects_behave_as_scipys():
    def f(x):
        one, several = Rotation.from_rotvec(x), Rotation.from_rotvec(np.stack([x, 2 * x]))
        assert isinstance(one, Rotation)
        assert (one.single, several.single, len(several)) == (True, False, 2)
        assert one.approx_equal(one)
        several[0] = one.inv()
        with pytest.raises(TypeError, match="len"):
            len(one)
        with pytest.raises(TypeError, match="subscriptable"):
            one[0]
        with pytest.raises(ValueError, match="shape"):
            Rotation.from_quat(x)
        with pytest.raises(ValueError, match="seq"):
            Rotation.from_euler("xyw", x)
        aligned = Rotation.align_vectors([[0, 1.0, 0]], [[1.0, 0, 0]])[0]
        group = Rotation.create_group("C2")
        total = Rotation.identity() * aligned * group[1] * several[0]
        return np.sum(total.as_matrix() * np.arange(9.0).reshape(3, 3)) + len(group)

    check(f, VECTOR, order=1)
    with pytest.raises(ag.errors.DetachError, match="align_vectors"):
        ag.grad(lambda x: Rotation.align_vectors([x], [[1.0, 0, 0]])[0].magnitude())(VECTOR)
