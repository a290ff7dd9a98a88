"""Write the corpus again: ``python -m tests.corpus``, after the format of certificates has changed.

Each kind of proof and each special case is made once, small, from seeded data. Those that must be refused are made from
the honest ones by one change, named in ``cases.json`` with the status that a checker should give.
"""

import contextlib
import io
import json
import warnings
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np

import nnspca
from nnspca import check, check_more
from nnspca.bounds import branch, core, elimination, pair_scaled, plain
from nnspca.bounds.selection import Limits
from nnspca.certificates.exact import checker_section
from nnspca.certificates.proofs import CarriedProof
from nnspca.control.progress import Monitor
from nnspca.covariance.problem import Problem
from tests.test_check import as_lists, npz, packed, told, with_one_bound
from tests.test_check_more import with_boxes

HERE = Path(__file__).parent
QUIET = Monitor()
RNG = np.random.default_rng(7)
TABLE = RNG.integers(-50, 50, (6, 5)) * np.array([16, 8, 4, 2, 1])
SIMILAR = np.cov(np.random.default_rng(5).standard_normal((40, 8)).T)
LONG = np.where(np.arange(2010) < 12, 30, 1) * RNG.integers(-9, 10, (5, 2010))
LONG[:, :12] += RNG.integers(-90, 90, (5, 1))
HARDLY = np.full((5, 5), 0.2) - 9e-9 * (np.eye(5) - 0.2)  # indefinite by rounding
DATA = {
    "table": TABLE.astype("i2"),
    "table-float": TABLE.astype("f8"),
    "table-fortran": np.asfortranarray(TABLE.astype("f4")),
    "table-unsigned": (TABLE + 1000).astype("u8"),
    "table-changed": TABLE.astype("i2") + (TABLE.max() == TABLE),
    "similar": SIMILAR,
    "long": LONG.astype("i2"),
    "hardly": HARDLY,
    "constant": np.column_stack([TABLE, np.full(6, 7)]).astype("i4"),
}


class Corpus:
    """The cases made so far; the same kind of proof under the same circumstances is written once."""

    def __init__(self):
        self.cases, self.accepted = [], {}

    def add(self, name, content, data, status=0, because=None):
        """Write a file that ends with this status, for the given reason where it is refused."""
        (HERE / f"{name}.npz").write_bytes(content)
        case = {"certificate": f"{name}.npz", "data": f"{data}.npy", "status": status}
        if because is not None:
            lines = io.StringIO()
            with contextlib.redirect_stdout(lines):
                check.main([str(HERE / case["certificate"]), str(HERE / case["data"])], check_more.Checker)
            case |= {"because": because, "said": lines.getvalue().splitlines()[-1]}
        self.cases.append(case)

    def accept(self, name, cert, bound, cov, data):
        """Add the certificate with this bound alone."""
        alone = with_one_bound(cert, bound)
        assert checker_section(alone, cov, {}) is not None, name
        self.accepted[name] = npz(alone, cov), data
        self.add(name, *self.accepted[name])

    def refuse(self, name, source, because, change, status=1):
        """Add a changed copy of an accepted file."""
        content, data = self.accepted[source]
        said = as_lists(told(content))
        change(said)
        self.add(name, packed(said), data, status, because)


def honest(corpus):
    """Add every kind of proof, and every special case of reading and of constraints."""
    cov, problem = nnspca.Covariance.from_data(TABLE), {}
    for sign, nonnegative in (("", True), ("-any-sign", False)):
        problem = Problem(cov, 2, nonnegative)
        cert, parts = (
            nnspca.certify(cov, 2, nonnegative=nonnegative),
            nnspca.certify_parts(cov, 2, 2, nonnegative=nonnegative),
        )
        x, rows = cert.component.loadings, np.array([part.loadings for part in parts.parts])
        few = elimination.eliminate(problem, x, 1e9, Limits(4, 5.0), elimination.Budget(0.02), goal=0.0, monitor=QUIET)
        for name, bound in (
            ("eigenvalue", plain.largest_eigenvalue(problem)),
            ("direction", plain.along_leading(problem)),
            ("pairs", list(pair_scaled.dual_bounds(problem, x, steps=60, goal=0.0, monitor=QUIET))[-1]),
            ("few", list(few)[-1]),
            ("boxed", with_boxes(problem, x)),
        ):
            corpus.accept(name + sign, cert, bound, cov, "table")
        tree = branch.branch_and_bound(problem, rows, goal=0.0, monitor=QUIET.within(0.17))
        for name, bound in (
            ("parts-pairs", list(pair_scaled.dual_bounds(problem, rows, steps=60, goal=0.0, monitor=QUIET))[-1]),
            ("parts-groups", list(tree)[-1]),
            ("parts-eigenvalues", plain.largest_eigenvalues(cov, 2)),
            ("parts-each", plain.each(cert.bound("eigenvalue"), 2)),
            ("parts-variances", plain.variances(problem, 2)),
        ):
            corpus.accept(name + sign, parts, bound, cov, "table")
    similar = nnspca.Covariance.from_matrix(SIMILAR)
    wide, cert = nnspca.certify(similar, 6), nnspca.certify(similar, 3)
    tree = branch.branch_and_bound(
        Problem(similar, 3, True), cert.component.loadings, goal=cert.lower, monitor=QUIET.within(2.0)
    )
    corpus.accept("cases", cert, list(tree)[-1], similar, "similar")
    carried = replace(wide.winner, name="larger-k", ingredients=CarriedProof(6, wide.winner.ingredients))
    corpus.accept("carried-from-larger-k", cert, carried, similar, "similar")
    few, more = nnspca.certify(similar, 3).winner, nnspca.certify(similar, 4)
    least = SIMILAR.diagonal().min()
    grown = (least + (few.value - least) * 3 / 2) * (1 + 1e-12)
    carried = replace(few, name="smaller-k", value=grown, ingredients=CarriedProof(3, few.ingredients))
    corpus.accept("carried-from-smaller-k", more, carried, similar, "similar")
    for name, keys in (("include", {"include": [6, 7]}), ("exclude", {"exclude": [0, 3]})):
        held = nnspca.certify(similar, 3, **keys)
        corpus.accept(name, held, held.winner, similar, "similar")
    every = nnspca.certify(similar, 8)
    corpus.accept("k-is-n", every, every.bound("eigenvalue"), similar, "similar")
    long = nnspca.Covariance.from_data(LONG)
    problem, cert = Problem(long, 4, True), nnspca.certify(long, 4)
    x, least = cert.component.loadings, cert.leading
    corpus.accept("rows", cert, cert.bound("balanced-rows"), long, "long")
    corpus.accept("samples", cert, plain.largest_eigenvalue(problem), long, "long")
    corpus.accept("samples-direction", cert, plain.along_leading(problem), long, "long")
    work = {"budget": 3e-3, "goal": cert.lower, "monitor": QUIET, "read": long.n_features}
    some = list(core.bounds(problem, x, np.argsort(-long.diagonal), np.sqrt(long.diagonal), least, **work))[-1]
    corpus.accept("pairs-of-some", cert, some, long, "long")
    for name, X, standardise in (
        ("float", "table-float", False), ("fortran", "table-fortran", False), ("unsigned", "table-unsigned", False),
        ("constant", "constant", False), ("standardised", "constant", True),
    ):  # fmt: skip
        held = nnspca.Covariance.from_data(DATA[X].astype(float), standardize=standardise)
        cert = nnspca.certify(held, 2)
        corpus.accept(f"read-{name}", cert, plain.largest_eigenvalue(Problem(held, 2, True)), held, X)
    hardly = nnspca.Covariance.from_matrix(HARDLY)
    parts = nnspca.certify_parts(hardly, 2, 2)
    corpus.accept("hardly-semidefinite", parts, plain.variances(Problem(hardly, 2, True), 2), hardly, "hardly")


def put(*path, value):
    """Return a change of what a certificate says: the number at this path becomes the value, or what it makes of it."""

    def change(said):
        *owners, last = path
        for step in owners:
            said = said[step]
        said[last] = value(said[last]) if callable(value) else value

    return change


def claimed(said, factor):
    """Lower the upper bound that is claimed, in both places."""
    said["check"]["upper"] = said["certificate"]["upper"] = said["check"]["upper"] * factor


def dishonest(corpus):
    """Add what no checker may accept: each a file above with one change."""
    for name in list(corpus.accepted):
        corpus.refuse(f"refused-claim-{name}", name, "a lower bound is claimed", lambda said: claimed(said, 1 - 1e-6))
    proof = ("check", "proof")
    for name, source, because, change in (
        ("lower", "pairs", "the component does not attain it", put("certificate", "lower", value=lambda v: v * 1.001)),
        ("dense", "pairs", "more than k nonzeros", put("check", "loadings", value=[1.0] * 5)),
        ("negative", "pairs", "a negative loading", put("check", "loadings", value=lambda x: [-v for v in x])),
        ("zero", "pairs", "all loadings are zero", put("check", "loadings", value=[0.0] * 5)),
        ("short", "pairs", "too few loadings", put("check", "loadings", value=[1.0])),
        ("infinite", "pairs", "an infinite number", put(*proof, "t", value=float("inf"))),
        ("nan", "pairs", "no number", put("check", "upper", value=float("nan"))),
        ("k-real", "pairs", "k is not an integer", put("certificate", "k", value=2.0)),
        ("k-larger", "pairs", "the proof is for fewer features", put("certificate", "k", value=4)),
        ("sign", "pairs", "not a truth value", put("certificate", "nonnegative", value=-1)),
        ("sign-text", "pairs", "not a truth value", put("certificate", "nonnegative", value="no")),
        ("tail-small", "pairs", "t is no upper bound", put(*proof, "t", value=lambda t: t * (1 - 1e-3))),
        ("size", "pairs", "n is another", put(*proof, "n", value=4)),
        ("halves-short", "pairs", "L is of another size", put(*proof, "L", value=lambda L: L[:-1])),
        ("halves-real", "pairs", "M is not of bytes", put(*proof, "M", value=lambda M: [float(v) for v in M])),
        ("exponent", "pairs", "L and M are a quarter", put(*proof, "exponent", value=lambda e: e - 2)),
        ("scales", "pairs", "M is zero where L is not", put(*proof, "M", value=lambda M: [0] * len(M))),
        ("tree-short", "cases", "the tree has no end", put(*proof, "splits", value=lambda s: s[:-1])),
        ("tree-twice", "cases", "a feature is split twice", put(*proof, "splits", value=lambda s: [s[0], *s])),
        ("order", "few", "features are not in order", put(*proof, "T", value=lambda T: [T[0], *T])),
        ("mass", "few", "the point attains less", put(*proof, "loadings", value=lambda x: [0.0] * len(x))),
        ("overlap", "parts-pairs", "parts overlap", put("check", "loadings", value=lambda x: [x[0]] * 2)),
        ("rank", "parts-pairs", "V is of another size", put(*proof, "V", value=[[1]] * 4)),
        ("rank-real", "parts-pairs", "V is not of integers", put(*proof, "V", value=[[1.0]] * 5)),
        ("groups-twice", "parts-groups", "a pair is split with itself", put(*proof, "splits", value=[0, -1, -1])),
        ("groups-short", "parts-groups", "the tree has no end", put(*proof, "splits", value=[])),
        ("one-part", "parts-each", "there are more parts than claimed", put("certificate", "n_components", value=1)),
        ("price", "parts-pairs", "a price is negative", put(*proof, "v", value=[-1.0] * 5)),
        ("one", "parts-each", "a proof for one part", put("check", "proof", value=lambda proof: proof["one"])),
        ("semidefinite", "hardly-semidefinite", "nothing shows how far from semidefinite A is",
         lambda said: said["check"]["proof"].pop("least")),
        ("include", "include", "the features included are others", put("certificate", "include", value=[0, 1])),
        ("exclude", "exclude", "the features excluded are others", put("certificate", "exclude", value=[6])),
        ("reading", "pairs", "the data are read in no known way", put("check", "reading", value="raw")),
        ("kind", "pairs", "no such kind of proof", put(*proof, "kind", value="trust")),
    ):  # fmt: skip
        corpus.refuse(f"refused-{name}", source, because, change, status=2 if name in ("kind", "one", "reading") else 1)
    content, data = corpus.accepted["pairs"]
    corpus.add("refused-damaged", content[:-100], data, 1, "the end of the file is missing")
    corpus.add("refused-other-data", content, "table-changed", 1, "the data are not those of the certificate")
    twice = io.BytesIO(content)
    with zipfile.ZipFile(twice, "a") as archive, warnings.catch_warnings(action="ignore"):
        archive.writestr("certificate.npy", archive.read("certificate.npy"))
    corpus.add("refused-names", twice.getvalue(), data, 1, "two members have one name")
    file = io.BytesIO()
    np.savez(file, certificate=np.array('{"check": {}, "check": {}}'))
    corpus.add("refused-keys", file.getvalue(), data, 1, "an object has one key twice")


def main():
    """Write data, files and their index."""
    for old in (*HERE.glob("*.np[yz]"), *HERE.glob("*.json")):
        old.unlink()
    for name, X in DATA.items():
        np.save(HERE / f"{name}.npy", X)
    corpus = Corpus()
    honest(corpus)
    dishonest(corpus)
    (HERE / "cases.json").write_text(json.dumps(corpus.cases, indent=1) + "\n", encoding="utf-8")
    print(len(corpus.cases), "files,", sum(f.stat().st_size for f in HERE.iterdir() if f.is_file()) // 1000, "kB")


if __name__ == "__main__":
    main()
