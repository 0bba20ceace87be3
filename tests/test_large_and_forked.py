"""Memory that is larger than 2**31 elements, and processes that fork while threads run."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import arraygrad as ag
from tests import fresh_process

SIZE = (1 << 31) + 64


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A sparse file of SIZE bytes, which takes no space."""
    path = tmp_path / "sparse"
    with open(path, "wb") as stream:
        try:
            stream.truncate(SIZE)
        except OSError:
            pytest.skip("the file system has no files of this size")
    return path


def test_memory_maps_of_more_than_two_to_the_31_elements(file: Path) -> None:
    memory = np.memmap(file, np.int8, "r+")
    x = ag.asarray(memory)
    assert x.size == SIZE
    assert x.shape == (SIZE,)
    x[SIZE - 1] = 3
    x[1 << 31] += 2
    x[np.array([-2, (1 << 31) + 1])] = ag.tensor([5, 7], dtype=ag.int8)
    assert memory[SIZE - 1] == 3
    assert memory[1 << 31] == 2
    assert memory[(1 << 31) + 1] == 7
    end = x[-70:]
    assert end.storage_offset() == SIZE - 70
    assert end.base is x
    assert end.sum() == 17
    assert (end + 1).sum() == 87
    assert ag.take(x, ag.tensor([SIZE - 2])).tolist() == [5]
    assert ag.nonzero(end)[0].tolist() == [6, 7, 68, 69]
    rows = x.reshape(2, SIZE // 2)
    assert rows[1, -1] == 3
    assert rows.T[-1, 1] == 3
    assert rows.T.base is x
    assert x[:: 1 << 31].tolist() == [0, 2]
    assert x[::-1][0] == 3
    assert ag.concat([end, end]).shape == (140,)
    assert ag.as_strided(x, (2,), (SIZE - 1,)).tolist() == [0, 3]
    x.flat[SIZE - 3] = 9
    assert memory[SIZE - 3] == 9


def test_read_only_memory_maps_are_read_and_not_written(file: Path) -> None:
    x = ag.asarray(np.memmap(file, np.float32, "r"))
    writers = [
        lambda: x.__setitem__(0, 1),
        lambda: x.__iadd__(1),
        lambda: x[5:].fill(1),
        lambda: x[:4].sort(),
        lambda: np.add(x[:4], 1, out=x[:4]),
        lambda: x.setfield(1, "i2"),
        lambda: x[:4].byteswap(inplace=True),
        lambda: x.setflags(write=True),
    ]
    for write in writers:
        with pytest.raises(ag.errors.ReadOnlyError):
            write()
    assert x._version == 0
    assert x[-3:].sum() == 0
    part = x[:4]
    weights = ag.tensor(np.ones(4, np.float32), requires_grad=True)
    (weights * part + weights).sum().backward()
    assert weights.grad.tolist() == [1, 1, 1, 1]


FORKED = """
import faulthandler, os, threading, warnings

import numpy as np
import arraygrad as ag

warnings.simplefilter("ignore")  # Python's own, of forks beside threads
x = ag.tensor(np.linspace(0, 1, 1 << 20), requires_grad=True)
view = x.detach()[1:]
stopping = threading.Event()


def child_work():
    leaf = ag.tensor(np.ones(1 << 18), requires_grad=True)
    (ag.sin(leaf) * leaf).sum().backward()
    part = leaf.detach()[3:]
    part += 1.0
    return np.allclose(leaf.grad[:1], np.sin(1) + np.cos(1)) and leaf[5] == 2.0


# Python's locks of modules do not survive a fork: what is imported when first asked for is first.
child_work()
ag.softmax(ag.exp(x.detach()[:9]), axis=0)


def work():
    while not stopping.is_set():
        y = (ag.exp(x) * x).sum()
        y.backward()
        view[0] = 0.0
        ag.softmax(ag.ones((50, 50)), axis=1).sum()


threads = [threading.Thread(target=work, daemon=True) for _ in range(3)]
for thread in threads:
    thread.start()
for _ in range(6):
    child = os.fork()
    if not child:
        faulthandler.dump_traceback_later(20, exit=True)
        os._exit(0 if child_work() else 3)
    _, status = os.waitpid(child, 0)
    assert status == 0, status
stopping.set()
for thread in threads:
    thread.join()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
@pytest.mark.parametrize("mode", ["off", "background"])
def test_forked_processes_compute_while_threads_of_the_parent_do(mode: str) -> None:
    done = fresh_process.run(FORKED, ARRAYGRAD_COMPILE=mode)
    assert done.returncode == 0, done.stderr[-2000:]
