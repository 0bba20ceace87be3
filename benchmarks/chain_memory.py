"""Peak memory of a step through a chain of 50 elementwise layers, beside torch's.

``python -m benchmarks.chain_memory`` prints, for each kind of layer, the peak above the input in
activations (8 MB each): what an engine keeps for the reverse pass and what it needs besides.
"""

from __future__ import annotations

from benchmarks.processes import AT_THE_PEAK, FROM_NOW_ON, output_of

LAYERS = {
    "tanh": "{library}.tanh(h)",
    "affine, tanh": "{library}.tanh(h * 1.01) + 0.1",
    "sin(h) * h + exp(-h)": "{library}.sin(h) * h + {library}.exp(-h)",
}
# As in `processes`; one step of a smaller array first compiles what is going to run.
STEP = (
    """
import warnings, numpy, {library}
warnings.simplefilter("ignore")

def step(x):
    h = x
    for _ in range(50):
        h = LAYER
    (h * h).mean().backward()
    x.grad = None

def tensor(n):
    return {library}.tensor(numpy.linspace(-1, 1, n), requires_grad=True)

for n in (4, 70_000):
    step(tensor(n))
x = tensor(1_000_000)
"""
    + FROM_NOW_ON
    + """for _ in range(2):
    step(x)
"""
    + f"print(({AT_THE_PEAK}) / 8e6)"
)


def peak(library: str, layer: str) -> float:
    """Activations at the peak of two steps, in a fresh process."""
    program = STEP.replace("LAYER", LAYERS[layer]).replace("{library}", library)
    return output_of(program, ARRAYGRAD_COMPILE="sync")


if __name__ == "__main__":
    print(f"{'layer':24} {'arraygrad':>10} {'torch':>10}")
    for layer in LAYERS:
        ours, theirs = (peak(library, layer) for library in ("arraygrad", "torch"))
        print(f"{layer:24} {ours:10.1f} {theirs:10.1f}")
