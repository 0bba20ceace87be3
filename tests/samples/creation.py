"""Creation from tensors, and conversions of dtype."""

import numpy as np

import arraygrad as ag

from . import Sample, normal, strided

SAMPLES = [
    Sample(("broadcast_to", "copy"), lambda v: ag.full((2, 3), v),
           lambda v: np.full((2, 3), v), (normal(),), dtypes="fcib", gradient_dtypes="fc",
           label="full"),
    Sample(("broadcast_to", "copy"), lambda x, v: ag.full_like(x, v) * x,
           lambda x, v: np.full_like(x, v) * x, (normal(2, 3), normal(3)),
           differentiable=(0, 1), label="full_like"),
    Sample(("add", "multiply"), lambda a, b: ag.linspace(a, b, 5),
           lambda a, b: np.linspace(a, b, 5), (normal(), normal()), differentiable=(0, 1),
           gradient_dtypes="fc", label="linspace"),
    Sample(("add", "multiply"), lambda a, b: ag.linspace(a, b, 4, endpoint=False),
           lambda a, b: np.linspace(a, b, 4, endpoint=False), (normal(3), normal(3)),
           differentiable=(0, 1), label="linspace-open"),
    Sample(("stack",), lambda x, y: ag.asarray([[x, 1.0], [2.0, y], [x, y]]),
           lambda x, y: np.asarray([[x, 1.0], [2.0, y], [x, y]]), (normal(), normal()),
           differentiable=(0, 1), gradient_dtypes="fc", label="asarray-list"),
    Sample(("stack",), lambda x, y: ag.asarray([[x, y], [[1.0, 2.0], x]]),
           lambda x, y: np.asarray([[x, y], [[1.0, 2.0], x]]), (normal(2), normal(2)),
           differentiable=(0, 1), label="asarray-rows"),
    Sample(("copy",), lambda x: ag.asarray(x, copy=True), np.copy, (strided(normal(2, 3)),),
           dtypes="fcib", gradient_dtypes="fc", label="asarray"),
    Sample(("copy",), lambda x: ag.tensor(x), np.copy, (strided(normal(2, 3)),), label="tensor"),
    Sample(("cast",), lambda x: ag.astype(x, ag.complex128), lambda x: x.astype(np.complex128),
           (normal(2, 3),), dtypes="fcib", gradient_dtypes="fc"),
    Sample(("broadcast_to", "copy"), lambda x, y: ag.stack(ag.meshgrid(x, y)),
           lambda x, y: np.stack(np.meshgrid(x, y)), (normal(3), normal(2)),
           differentiable=(0, 1), dtypes="fcib", gradient_dtypes="fc", label="meshgrid"),
    Sample(("broadcast_to", "copy"), lambda x, y: ag.meshgrid(x, y, indexing="ij")[1],
           lambda x, y: np.meshgrid(x, y, indexing="ij")[1], (normal(3), normal(2)),
           differentiable=(1,), label="meshgrid-ij"),
    Sample(("tril",), ag.tril, np.tril, (normal(3, 3),), dtypes="fcib", gradient_dtypes="fc"),
    Sample(("tril",), lambda x: ag.tril(x, k=-1), lambda x: np.tril(x, -1),
           (strided(normal(2, 3, 4)),), label="below"),
    Sample(("triu",), ag.triu, np.triu, (normal(3, 3),), dtypes="fcib", gradient_dtypes="fc"),
    Sample(("triu",), lambda x: ag.triu(x, k=1), lambda x: np.triu(x, 1),
           (strided(normal(2, 4, 3)),), label="above"),
]  # fmt: skip
