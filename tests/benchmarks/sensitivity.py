"""What each numeric constant of a room does: certificates and their time with the constant halved and doubled.

``python -m tests.benchmarks.sensitivity [room, bounds] [names …]`` prints, for every constant, the largest change of a
variance, of a ratio and of the processor seconds over small problems of every kind. One that moves nothing, here and in
its tests, can go.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before NumPy is loaded

import ast
import importlib
import pkgutil
import sys
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

import nnspca
from tests.benchmarks.data import covariance, zipf_text
from tests.benchmarks.live import expression

STILL = 1e-5  # relative change of a variance or a ratio that counts as none
SLOWER = 0.15  # change of the seconds, relative to all, that counts


class Constant(NamedTuple):
    """A number that a module names."""

    module: str
    name: str
    value: float

    def set_to(self, value: float) -> None:
        """Set it where it is defined and wherever it was imported to."""
        changed = max(round(value), 1) if isinstance(self.value, int) else value
        for name in (self.module, *importers(self.module, self.name)):
            setattr(sys.modules[name], self.name, changed)


@cache
def importers(module: str, name: str) -> tuple[str, ...]:
    """Return the modules that import a name from a module."""
    return tuple(
        importer
        for importer, loaded in list(sys.modules.items())
        if importer.startswith("nnspca.") and getattr(loaded, "__file__", None)
        for node in ast.walk(ast.parse(Path(str(loaded.__file__)).read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module == module and name in {alias.name for alias in node.names}
    )


def constants(room: str) -> Iterator[Constant]:
    """Yield the numbers in upper case that the modules of a room define."""
    package = importlib.import_module(f"nnspca.{room}")
    for info in pkgutil.walk_packages(package.__path__, f"nnspca.{room}."):
        module = importlib.import_module(info.name)
        source = Path(str(module.__file__)).read_text(encoding="utf-8")
        for node in ast.parse(source).body:
            if not isinstance(node, ast.Assign):
                continue
            targets = node.targets[0].elts if isinstance(node.targets[0], ast.Tuple) else node.targets
            for target in targets:
                if isinstance(target, ast.Name) and target.id.isupper():
                    value = getattr(module, target.id)
                    if isinstance(value, int | float) and not isinstance(value, bool):
                        yield Constant(info.name, target.id, value)


Case = tuple[nnspca.Covariance, int, Literal["live", "thorough"]]


def problems() -> list[Case]:
    """Small problems of every kind, so that every bound is made: each a second or two."""
    rng = np.random.default_rng(0)
    cases: list[Case] = []
    for name, k in (("pitprops", 6), ("lrs", 20), ("digits", 10)):
        held = covariance(name)
        if held is not None:
            cases.append((held, k, "live"))
    leukemia = covariance("leukemia")
    if leukemia is not None:
        genes = np.sort(rng.choice(leukemia.n_features, 1500, replace=False))
        cases += [(leukemia.restrict(genes), k, "live") for k in (10, 20)]
    table = rng.standard_normal((60, 5)) @ rng.standard_normal((5, 30)) + 2 * rng.standard_normal((60, 30))
    logarithms, levels = expression(40, 900, "decaying", "logarithm"), expression(40, 900, "decaying", "raw")
    return [
        *cases,
        (nnspca.Covariance.from_matrix(np.corrcoef(table, rowvar=False)), 5, "thorough"),
        (nnspca.Covariance.from_data(logarithms), 8, "live"),
        (nnspca.Covariance.from_data(levels, standardize=True), 4, "live"),
        (nnspca.Covariance.from_data(zipf_text(300, 2000)), 6, "live"),
        (nnspca.Covariance.from_data(rng.standard_normal((30, 800))), 3, "live"),
    ]


def measured(cases: list[Case]) -> tuple[np.ndarray, float]:
    """Return the variance and the ratio of every case, and the processor seconds of all."""
    began, found = time.process_time(), []
    for cov, k, effort in cases:
        cert = nnspca.certify(cov, k, component=nnspca.solve(cov, k), effort=effort)
        found.append((cert.lower, cert.ratio))
    parts = nnspca.certify_parts(cases[0][0], 2, 3)
    return np.array([*found, (parts.lower, parts.ratio)]), time.process_time() - began


def main(words: list[str]) -> None:
    """Print a line for every constant, those that move nothing marked."""
    room, names = (words or ["bounds"])[0], words[1:]
    cases = problems()
    measured(cases)
    (plain, seconds), (again, other) = measured(cases), measured(cases)
    assert (plain == again).all(), "a certificate changed from one run to the next"
    seconds = (seconds + other) / 2
    print(f"{room}: {len(cases) + 1} problems, {seconds:.1f} CPU s; change of variance, of ratio, of seconds")
    for constant in constants(room):
        if names and constant.name not in names:
            continue
        line = f"{constant.module.removeprefix(f'nnspca.{room}.'):22} {constant.name:18} {constant.value!s:>9}"
        still = True
        for factor in (0.5, 2.0):
            constant.set_to(constant.value * factor)
            try:
                here, took = measured(cases)
                change = here / plain - 1
                lost = [f"{change[:, i][np.abs(change[:, i]).argmax()]:+.0e}" for i in range(2)]
                moved = bool((np.abs(change) > STILL).any())
                still &= not moved and abs(took / seconds - 1) < SLOWER
                line += f" | ×{factor:g} {lost[0]} {lost[1]} {took / seconds - 1:+.0%}"
            except Exception as problem:
                still, line = False, f"{line} | ×{factor:g} {type(problem).__name__}"
            finally:
                constant.set_to(constant.value)
        print(f"{line} {'| moves nothing' if still else ''}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
