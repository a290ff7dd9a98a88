"""Tests of the tests: each of these errors in the proofs fails the test named beside it."""

import multiprocessing
import os
import sys
import warnings
from importlib.machinery import SourceFileLoader
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
# What the tests import beside the library takes longer than the library and the tests: it is imported once for all.
BEFORE = ["hypothesis.extra.numpy", "pandas", "pytest", "scipy.optimize", "scipy.sparse.csgraph", "scipy.stats"]

JUDGE, NUMBERS, ROWS, PAIRS = (f"nnspca/certificates/{name}.py" for name in ("judge", "numbers", "rows", "pairs"))
ROUNDING, CHECK = "nnspca/numerics/rounding.py", "nnspca/check.py"
OF_JUDGE, OF_NUMBERS = (f"tests/certificates/test_{name}.py::test_" for name in ("judge", "numbers"))
EXACT = "tests/certificates/test_derivations.py::test_"
OF_ROUNDING, OF_CHECK = "tests/numerics/test_rounding.py::test_", "tests/test_check.py::test_"
OF_PARTS = "tests/components/test_certify_parts.py::test_"
OF_BOUNDS, OF_CARRIED = (f"tests/bounds/test_{name}.py::test_" for name in ("bounds", "carried"))
# The file, what stands there, what an error would make of it, and the test that must fail then.
MUTANTS = [
    (JUDGE, "at_most(least, upper)", "at_most(least * (1 - 1e-6), upper)", OF_JUDGE + "an_upper_bound_lowered_by"),
    (JUDGE, "at_most(needed, value)", "at_most(needed * 0.999, value)", OF_JUDGE + "a_bound_lowered_by_a_millionth"),
    (JUDGE, "at_most(leading, claimed)", "at_most(leading * 0.99, claimed)", OF_JUDGE + "a_leading_eigenvalue_lowered"),
    (JUDGE, "if probability < 1:", "if probability < 0:", EXACT + "what_is_proven_holds_with_certainty"),
    (JUDGE, "ATTAINED = 1e-9", "ATTAINED = 1e-5", OF_JUDGE + "a_lower_bound_moved_off"),
    (JUDGE, "used.max() > 1:", "used.max() > 2:", OF_PARTS + "parts_that_are_not_disjoint"),
    (NUMBERS, "bool(value <= limit < np.inf)", "not value > limit", OF_NUMBERS + "a_comparison_with_what_is_no"),
    (NUMBERS, "np.inf if np.isnan(most) else max", "max", OF_NUMBERS + "a_upper_bound_that_met_no_number"),
    (ROWS, "largest_sums(shares * d, k - 1)", "largest_sums(shares * d, k - 2)", EXACT + "rows_cost_the_judge"),
    (ROWS, "own + sums + rounding", "own + sums", EXACT + "rows_cost_the_judge"),
    (ROWS, "(d >= LEAST) & (d <= MOST)", "d > 0", OF_NUMBERS + "weights_that"),
    (PAIRS, "[:, ::-1][:, : k - 1]", "[:, ::-1][:, : k - 2]", EXACT + "pairs_cost_the_judge"),
    (PAIRS, "* (1 - 4 * EPS) >= needed", "* (1 + 1e-6) >= needed", OF_JUDGE + "shares_of_a_pair"),
    (PAIRS, "tail - error - forming", "tail + 1e-4 * abs(tail)", OF_JUDGE + "what_the_pairs_leave"),
    (PAIRS, "(k - 1 - count)", "(k - 2 - count)", EXACT + "a_row_has_every_included"),
    (ROUNDING, "value * (1 + terms * EPS)", "value * (1 - terms * EPS)", OF_ROUNDING + "a_raised_sum"),
    (ROUNDING, "own + shares + 4 * (k + 8)", "own + shares + 0 * (k + 8)", OF_ROUNDING + "the_cost_of_a_row"),
    (ROUNDING, "2 * (len(diagonal) + 2)", "0 * (len(diagonal) + 2)", OF_ROUNDING + "a_factorisation_that_ends"),
    (ROUNDING, "1.0 - mass - 4 * EPS", "1.0 - mass + 4 * EPS", OF_ROUNDING + "an_eliminated_upper_bound"),
    (ROUNDING, "+ 16 * EPS * (1 + share)", "- 16 * EPS * (1 + share)", OF_CARRIED + "the_formula_in_fractions"),
    ("nnspca/bounds/carried.py", "np.maximum(smaller - 1, 1)", "smaller", OF_CARRIED + "no_upper_bound_in_prop"),
    (
        "nnspca/bounds/pair_scaled.py",
        "sum_of_largest(M, k - 1)",
        "sum_of_largest(M, k - 2)",
        OF_BOUNDS + "the_pair_sca",
    ),
    (CHECK, "nlargest(max(k - 1 - len(sure), 0), others)", "nlargest(0, others)", OF_CHECK + "every_bound_of_a"),
]


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: f"{mutant[0]}: {mutant[2]}")
def test_what_is_changed_stands_in_one_place_and_the_test_is_there(mutant):
    source, old, new, test = mutant
    file, _, named = test.partition("::")
    assert (ROOT / source).read_text(encoding="utf-8").count(old) == 1 and old != new
    assert f"def {named}" in (ROOT / file).read_text(encoding="utf-8")


def run(file, old, new, words, said):
    """End this process as pytest ends with these words where a module's text is another; keep what it says."""
    assert "nnspca" not in sys.modules, "the library was imported before"
    compiled = SourceFileLoader.get_code

    def changed(loader, name):
        if Path(loader.path) != ROOT / file:
            return compiled(loader, name)
        return compile(Path(loader.path).read_text(encoding="utf-8").replace(old, new), loader.path, "exec")

    SourceFileLoader.get_code = changed
    with said.open("wb") as out:
        os.dup2(out.fileno(), 1)
        os.dup2(out.fileno(), 2)
    os.chdir(ROOT)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    warnings.simplefilter("ignore")
    sys.exit(pytest.main(words))


@pytest.mark.heavy
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: f"{mutant[0]}: {mutant[2]}")
def test_an_error_in_a_proof_fails_the_test_that_is_there_for_it(mutant, tmp_path):
    *change, test = mutant
    file, _, named = test.partition("::")
    words = ["-q", "-x", "-p", "pytest_timeout", "-p", "no:cacheprovider", file, *(["-k", named] if named else [])]
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload(BEFORE)
    tests = processes.Process(target=run, args=(*change, words, tmp_path / "said"))
    tests.start()
    tests.join()
    said = (tmp_path / "said").read_text(encoding="utf-8")
    assert tests.exitcode == pytest.ExitCode.TESTS_FAILED and "1 failed" in said, said[-4000:]
