"""What each numeric constant of a room does: its results and their time with the constant halved and doubled.

``python -m tests.benchmarks.sensitivity [room, bounds] [names …]`` prints, for every constant, the largest change of a
variance, of a ratio and of the processor seconds over problems that reach the room. One that moves nothing, here and in
its tests, can go.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before NumPy is loaded

import ast
import importlib
import pkgutil
import sys
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

import nnspca
from nnspca.control.progress import Monitor
from nnspca.covariance.problem import Problem
from nnspca.solvers.best import quick_start
from nnspca.spannogram import curves, enumeration, sphere
from nnspca.tasks import certify_path, path
from tests.benchmarks.data import covariance, zipf_text
from tests.benchmarks.live import expression

STILL = 1e-5  # relative change of a variance or a ratio that counts as none
SIGNS = (True, False)
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


@cache
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


Results = list[tuple[float, float]]  # a variance, or what else is to be large, and a ratio of each problem


def certified() -> Results:
    """Certificates of small problems, and of parts of one."""
    cases, found = problems(), []
    for cov, k, effort in cases:
        cert = nnspca.certify(cov, k, component=nnspca.solve(cov, k), effort=effort)
        found.append((cert.lower, cert.ratio))
    parts = nnspca.certify_parts(cases[0][0], 2, 3)
    return [*found, (parts.lower, parts.ratio)]


@cache
def large() -> tuple[nnspca.Covariance, nnspca.Covariance, nnspca.Covariance]:
    """Genes of few samples, words of many, and pixels."""
    genes = covariance("leukemia") or nnspca.Covariance.from_data(expression(72, 12000, "decaying", "logarithm"))
    pixels = covariance("cbcl-faces") or nnspca.Covariance.from_dataset(nnspca.datasets.load("lfw-faces"))
    return genes, nnspca.Covariance.from_data(zipf_text(400, 6000)), pixels


def solved() -> Results:
    """The portfolio, with rounds of search, where features are many and where they are few; and other methods."""
    genes, words, pixels = large()
    found = [nnspca.solve(cov, k, search=1).variance for cov, k in ((genes, 12), (words, 8), (pixels, 30))]
    found += [nnspca.solve(pixels, 20, nonnegative=False).variance, nnspca.solve(words, 30, "em").variance]
    found += [quick_start(Problem(genes, 12), monitor=Monitor()).variance]
    return [(value, 1.0) for value in found]


def compared() -> Results:
    """The methods for few features."""
    genes, _, pixels = large()
    few = genes.restrict(np.argsort(-genes.diagonal)[:100])
    found = [nnspca.solve(few, 8, name).variance for name in ("scotlass", "dspca", "coordinate-descent", "nmf")]
    found += [nnspca.solve(genes, 30, "elastic-net", rounds=3).variance]
    found += [nnspca.solve(pixels.restrict(np.arange(0, 360, 17)), 5, "exact").variance]
    for sign in SIGNS:
        parts = nnspca.decompose(few, 3, 8, "em", deflation="quasi-orthogonal", nonnegative=sign)
        found.append(float(parts.variances.sum()))
    return [(value, 1.0) for value in found]


def on_spheres() -> Results:
    """Low-rank problems: value, and the share of it that is proven."""
    genes, words, pixels = large()
    found = []
    for cov, d, k in ((pixels, 5, 40), (words, 6, 8), (genes, 4, 20)):
        values, vectors = cov.eigenpairs(d)
        for nonnegative in SIGNS:
            best = sphere.maximise(vectors * np.sqrt(values), k, nonnegative=nonnegative, max_cells=4000)
            found.append((best.value, best.value / best.upper))
    values, vectors = pixels.eigenpairs(2)
    V = vectors * np.sqrt(values)
    for nonnegative in SIGNS:
        found.append((curves.optimum(V, 30, nonnegative=nonnegative).value, 1.0))
        found.append((enumeration.maximise(V[::9], 6, nonnegative=nonnegative).value, 1.0))
    return [*found, (nnspca.solve(genes, 20, "epsilon-net", max_samples=2000).variance, 1.0)]


def in_parts() -> Results:
    """Parts of faces, words and genes by every deflation, and proven."""
    genes, _, pixels = large()
    some = genes.restrict(np.argsort(-genes.diagonal)[:2000])
    calls = [(pixels, 6, 40), (some, 4, 12)]
    found = [nnspca.decompose(cov, r, k, deflation="together", starts=2).variances.sum() for cov, r, k in calls]
    for cov in (pixels, some):
        found += [nnspca.decompose(cov, 3, 8, "em", deflation="schur").variances.sum()]
    return [(float(value), 1.0) for value in found]


def relaxed() -> Results:
    """Relaxations of one part and of several, and the numerics of solvers."""
    genes, words, pixels = large()
    some = genes.restrict(np.argsort(-genes.diagonal)[:200])
    certs = [nnspca.certify(cov, 8, component=nnspca.solve(cov, 8, "em")) for cov in (some, pixels)]
    found = [nnspca.decompose(some, 3, 8, "em", deflation="quasi-orthogonal").variances.sum()]
    found += [nnspca.solve(words, 8, "em").variance, nnspca.solve(some.restrict(np.arange(60)), 8, "dspca").variance]
    parts = nnspca.certify_parts(pixels.restrict(np.arange(0, 361, 4)), 3, 8)
    return [(c.lower, c.ratio) for c in (*certs, parts)] + [(float(value), 1.0) for value in found]


def asked() -> Results:
    """Curves, necessity and contributions, on few features and on many."""
    genes, _, pixels = large()
    some, digits = genes.restrict(np.argsort(-genes.diagonal)[:800]), covariance("digits") or pixels
    found = []
    for cov, k in ((digits, 6), (some, 6)):
        need = nnspca.necessity(cov, k)
        found.append((need.lower, 1.0 + float(need.essential.sum()) - float(need.limit.mean())))
        cert = nnspca.certify(cov, k)
        found.append((cert.lower, cert.ratio))
        why = nnspca.contribution(cov, cert.component, int(cert.component.support[0]))
        found.append((why.exchanged, why.switched))
    curve = certify_path(digits, path(digits, range(2, 21, 3), anchors=3, first={}))
    found += [(point.component.variance, point.certificate.ratio) for point in curve.points if point.certificate]
    swept = nnspca.sweep(digits, [5, 6, 7], ("best",))
    return found + [(point.component.variance, point.certificate.ratio) for point in swept.points if point.certificate]


def redrawn() -> Results:
    """Resamples in memory and in chunks."""
    X = nnspca.datasets.load("digits").X
    stable = nnspca.bootstrap(X, 8, resamples=8)
    held = nnspca.cross_validate(X, [4, 8], 3)
    return [(float(stable.mean_recurrence[0]), 1.0), *((float(mean), 1.0) for mean in held.mean)]


ROOMS: dict[str, Callable[[], Results]] = {
    "bounds": certified,
    "solvers": solved,
    "spannogram": on_spheres,
    "components": in_parts,
    "numerics": relaxed,
    "tasks": asked,
    "resampling": redrawn,
}


COMPARED = ("coordinate_descent", "dspca", "elastic_net", "exact", "nmf", "quasi_orthogonal", "scotlass")


def problems_of(module: str) -> Callable[[], Results]:
    """Return the problems that reach a module."""
    _, room, *names = module.split(".")
    return compared if room == "solvers" and set(names) & set(COMPARED) else ROOMS.get(room, certified)


def measured(make: Callable[[], Results]) -> tuple[np.ndarray, float]:
    """Return the results of some problems, and the processor seconds of all."""
    began = time.process_time()
    found = np.array(make())
    return found, time.process_time() - began


@cache
def usual(make: Callable[[], Results]) -> tuple[np.ndarray, np.ndarray, float]:
    """Return results as they are, which of them differ from one run to the next, and their processor seconds."""
    measured(make)
    (plain, seconds), (again, other) = measured(make), measured(make)
    print(f"{make.__name__}: {len(plain)} problems, {(seconds + other) / 2:.1f} CPU s")
    return plain, np.abs(again / plain - 1) > STILL, (seconds + other) / 2


def main(words: list[str]) -> None:
    """Print a line for every constant, those that move nothing marked."""
    room, names = (words or ["bounds"])[0], words[1:]
    print(f"{room}: change of variance, of ratio, of seconds")
    for constant in constants(room):
        if names and constant.name not in names:
            continue
        line = f"{constant.module.removeprefix(f'nnspca.{room}.'):22} {constant.name:18} {constant.value!s:>9}"
        make, still = problems_of(constant.module), True
        plain, unsure, seconds = usual(make)
        for factor in (0.5, 2.0):
            constant.set_to(constant.value * factor)
            try:
                here, took = measured(make)
                change = np.where(unsure, 0.0, here / plain - 1)
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
