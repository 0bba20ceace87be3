"""Build hook: compile `arraygrad/_roads.pyx`, if this machine can.

Without a compiler, on PyPy, or with ``ARRAYGRAD_BUILD_ROADS=0``, what is built has no compiled
roads: the Python functions that they stand for run instead, and everything works, more slowly.
An editable install gets the module beside its source; run ``pip install -e .`` again after a change
of the source.
"""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

MODULE = "arraygrad._roads"
SOURCE = "arraygrad/_roads.pyx"


class CompiledRoads(BuildHookInterface[Any]):
    """Adds the compiled module to a wheel, which is then one of this platform."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, before the wheel is put together."""
        if self.target_name != "wheel" or not is_wanted():
            return
        self._folder = tempfile.mkdtemp()
        try:
            built = compiled(Path(self.root) / SOURCE, Path(self._folder))
            place = f"arraygrad/{built.name}"
            if version == "editable":
                # In one step: a process that has the old module loaded must not see its bytes
                # change.
                new = Path(self.root) / f"{place}.new"
                shutil.copy(built, new)
                new.replace(Path(self.root) / place)
                return
        except Exception as error:  # of Cython, the compiler, a read-only tree: all mean the same
            if os.environ.get("ARRAYGRAD_BUILD_ROADS") == "1":
                raise
            self.app.display_warning(f"{SOURCE} is left uncompiled, calls are slower: {error!r}")
            return
        build_data["force_include"][str(built)] = place
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what the wheel has been made from."""
        if self.target_name == "wheel" and hasattr(self, "_folder"):
            shutil.rmtree(self._folder, ignore_errors=True)


def is_wanted() -> bool:
    """Whether to try: CPython with a lock around its objects, whose slots the source reads."""
    if os.environ.get("ARRAYGRAD_BUILD_ROADS") == "0":
        return False
    is_cpython = sys.implementation.name == "cpython"
    return is_cpython and not sysconfig.get_config_var("Py_GIL_DISABLED")


def compiled(source: Path, folder: Path) -> Path:
    """Compile a Cython module into `folder`; its path."""
    import numpy as np
    from Cython.Build import cythonize
    from setuptools import Distribution, Extension

    extension = Extension(
        MODULE,
        [str(source)],
        include_dirs=[np.get_include(), str(source.parent)],
        define_macros=[("NPY_NO_DEPRECATED_API", "NPY_2_0_API_VERSION")],
        extra_compile_args=[] if os.name == "nt" else ["-O2", "-g0"],
    )
    modules = cythonize([extension], build_dir=str(folder), quiet=True)
    # Without the configuration of the project, which is none of setuptools' business.
    command = Distribution({"ext_modules": modules}).get_command_obj("build_ext")
    command.build_lib = str(folder / "lib")
    command.build_temp = str(folder / "temp")
    command.ensure_finalized()
    command.run()
    return Path(command.get_ext_fullpath(MODULE))
