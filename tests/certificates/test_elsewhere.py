"""A certificate saved on one processor verifies on another: the BLAS takes other kernels, and A other last bits.

Each kernel makes its certificates in a process of its own, and each of the others checks them there.
"""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_info

import nnspca
from nnspca.covariance.forms import HeldMatrix

pytestmark = pytest.mark.heavy
ROOT = Path(__file__).resolve().parents[2]
KERNELS = ("", "Haswell", "Nehalem", "SkylakeX")  # Zen computes as Haswell does
SCRIPT = """
import sys
from dataclasses import replace
from pathlib import Path
import numpy as np, scipy.sparse, nnspca
from nnspca.covariance import samples as making
from nnspca.tasks import _rounds

# every kind of bound, none for long: how tight it is does not matter here
_rounds.PLANS = {
    name: replace(plan, relaxation=0.1, trees=0.1) for name, plan in _rounds.PLANS.items()
}
making.DENSE_FEATURES = 400  # so that no matrix is formed of few features more

def covariances():
    rng = np.random.default_rng(0)
    digits = nnspca.Covariance.from_data(np.load(sys.argv[2]))  # which scikit-learn would read, a second each time
    faces = nnspca.Covariance.from_dataset(nnspca.datasets.load("lfw-faces"))
    yield "digits", digits, 8
    yield "faces", faces, 10
    yield "pitprops", nnspca.Covariance.from_dataset(nnspca.datasets.load("pitprops")), 4
    Z = rng.integers(-3, 4, (3, 12)) / 8
    yield "singular", nnspca.Covariance.from_matrix(Z.T @ Z), 4
    X = rng.standard_normal((20, 440)) * np.linspace(3, 0.1, 440)
    yield "wide", nnspca.Covariance.from_data(X), 7
    S = scipy.sparse.csr_array(X * (rng.random(X.shape) < 0.2))
    yield "sparse", nnspca.Covariance.from_data(S), 7
    U = np.zeros((64, 2))
    U[[20, 28, 36], 0], U[[20, 43, 50], 1] = 3 ** -0.5, 3 ** -0.5
    yield "deflated", nnspca.deflate(digits, U, "projection"), 6
    yield "left", nnspca.deflate(digits, U, "disjoint"), 6

variances = []
for name, cov, k in covariances():
    for folder in map(Path, sys.argv[3:]):
        file = folder / f"{name}.npz"
        if sys.argv[1] == "save":
            nnspca.save_certificate(nnspca.certify(cov, k), file, cov)
        else:
            nnspca.verify(nnspca.load_certificate(file), cov)
        (folder / f"{name}.{sys.argv[1]}.txt").write_text(cov.fingerprint)
        if name == "pitprops":
            file = folder / "parts.npz"
            if sys.argv[1] == "save":
                nnspca.save_certificate(nnspca.certify_parts(cov, 2, 3), file, cov)
            nnspca.verify(nnspca.load_certificate(file), cov)
    variances.append(float(cov.variance(np.ones(cov.n_features))))
print("A", *map(repr, variances))
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Run the script with the digits at hand."""
    digits = tmp_path_factory.mktemp("digits") / "X.npy"
    np.save(digits, nnspca.datasets.load("digits").X)
    return lambda kernel, act, *folders: run_script(kernel, act, digits, *folders)


def run_script(kernel, act, *paths):
    """Save or check all certificates in a process whose BLAS takes this kernel; what it printed."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    environment.pop("OPENBLAS_CORETYPE", None)
    if kernel:
        environment["OPENBLAS_CORETYPE"] = kernel
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", SCRIPT, act, *map(str, paths)],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, f"{kernel or 'the default kernel'}: {done.stderr}"
    return done.stdout


def available(kernel):
    """Whether this processor can run the kernel at all."""
    flags = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    needed = {"Haswell": "avx2", "SkylakeX": "avx512f", "Nehalem": "sse4_2"}
    return not kernel or f" {needed[kernel]}" in flags


HERE = [kernel for kernel in KERNELS if available(kernel)]
openblas = any("openblas" in pool["internal_api"] for pool in threadpool_info())


def under_every_kernel(test):
    """Run where there are several, with time enough beside other work: each process certifies eight covariances."""
    several = pytest.mark.skipif(
        not openblas or len(HERE) < 3, reason="this BLAS has no other kernels to choose on this processor"
    )
    return pytest.mark.timeout(1800)(several(test))


@pytest.fixture(scope="module")
def saved(run, tmp_path_factory):
    """Certificates made under the default kernel and under the oldest one, and what their covariances gave."""
    folders = {kernel: tmp_path_factory.mktemp(kernel or "default") for kernel in ("", "Nehalem") if kernel in HERE}
    return {kernel: (folder, run(kernel, "save", folder)) for kernel, folder in folders.items()}


@under_every_kernel
@pytest.mark.parametrize("kernel", [kernel for kernel in HERE if kernel])
def test_a_certificate_saved_under_one_kernel_verifies_under_another(run, saved, kernel):
    folders = [folder for made_by, (folder, _) in saved.items() if made_by != kernel]
    run(kernel, "check", *folders)
    for folder in folders:
        for file in folder.glob("*.save.txt"):
            assert file.read_text() == (folder / file.name.replace("save", "check")).read_text()


@under_every_kernel
def test_what_was_saved_by_another_kernel_verifies_under_the_default_one(run, saved):
    run("", "check", saved["Nehalem"][0])


@under_every_kernel
def test_the_kernels_do_differ_in_the_last_bits(saved):
    """Or the tests above would compare a thing with itself."""
    (_, default), (_, oldest) = saved.values()
    assert default != oldest
    one, other = (np.array(printed.split()[1:], dtype=float) for printed in (default, oldest))
    np.testing.assert_allclose(one, other, rtol=1e-9)


# ---------------------------------------------------------------------- any other machine, not only those at hand


def louder(cov, **more):
    """Let it drift a million times as far."""
    held = cov.held
    held.provenance = replace(
        held.provenance, drift=1e6 * held.drift, error_elsewhere=1e6 * held.error_elsewhere, **more
    )


def moved(cov, by):
    """The covariance as a machine may hold it whose sums went another way: A + by, and a larger error of its own."""
    held = HeldMatrix(cov.matrix + by)
    error, unknown = cov.held.error_elsewhere * (1 - 1e-9), {"drift": np.nan, "error_elsewhere": np.nan}
    return nnspca.Covariance(
        held, replace(cov.held.provenance, representation_error=error, relative_drift=np.inf, **unknown)
    )


@pytest.mark.parametrize("nonnegative", [True, False])
@pytest.mark.parametrize("k", [1, 4, 9])
def test_every_bound_has_room_for_all_that_can_drift(k, nonnegative):
    """Whatever A' another machine holds within the drift, in the direction that hurts most."""
    rng = np.random.default_rng(k)
    X = rng.standard_normal((40, 9)) @ rng.standard_normal((9, 9)) * np.linspace(1, 30, 9)
    cov = nnspca.Covariance.from_data(X)
    louder(cov, relative_drift=np.inf)  # so that it stands out from the rounding that is forgiven beside it
    cert = nnspca.certify(cov, k, nonnegative=nonnegative)
    x = np.asarray(cert.component.loadings)
    leader = cov.eigenpairs(1)[1][:, 0]
    heavy = np.eye(9)[int(cov.diagonal.argmax())]
    for u in (x, leader, heavy, np.ones(9) / 3, -np.ones(9) / 3):
        by = np.outer(u, u)
        nnspca.verify(cert, moved(cov, 0.999 * cov.held.drift * by))
    row = np.outer(heavy, np.ones(9)) + np.outer(np.ones(9), heavy)
    nnspca.verify(cert, moved(cov, 0.999 * cov.held.drift * row / np.linalg.norm(row)))
    tight = min(cert.bounds, key=lambda b: b.value if b.deterministic else np.inf)
    with pytest.raises(nnspca.CertificateError):  # and no more room than that
        nnspca.verify(cert, moved(cov, 40 * k * cov.held.drift * (np.outer(leader, leader) + np.eye(9))))
    assert tight.value == cert.upper


@pytest.mark.parametrize("nonnegative", [True, False])
def test_every_bound_has_room_for_entries_that_drift_as_their_features_vary(nonnegative):
    """Of dense data no entry drifts by more than a share of its two deviations; features of little variance hardly."""
    rng = np.random.default_rng(2)
    X = rng.standard_normal((40, 9)) @ rng.standard_normal((9, 9)) * 10.0 ** np.linspace(-6, 1, 9)
    cov = nnspca.Covariance.from_data(X, standardize=False)
    louder(cov, relative_drift=1e6 * cov.held.provenance.relative_drift)
    cert = nnspca.certify(cov, 3, nonnegative=nonnegative)
    s = np.sqrt(cov.diagonal)
    for sign in (1.0, -1.0, np.sign(rng.standard_normal((9, 9)))):
        by = 0.999 * cov.held.provenance.relative_drift * np.outer(s, s) * sign
        by = (by + by.T) / 2
        assert np.linalg.norm(by) <= cov.held.drift
        nnspca.verify(cert, moved(cov, by))


def test_parts_have_room_for_what_drifts():
    rng = np.random.default_rng(0)
    cov = nnspca.Covariance.from_data(rng.standard_normal((40, 8)) @ rng.standard_normal((8, 8)))
    louder(cov, relative_drift=np.inf)
    cert = nnspca.certify_parts(cov, 2, 3)
    for u in (*np.asarray(cert.loadings).T, cov.eigenpairs(1)[1][:, 0], np.ones(8) / 8**0.5):
        nnspca.verify(cert, moved(cov, 0.999 * cov.held.drift * np.outer(u, u)))


def test_a_given_matrix_does_not_drift_and_a_repaired_one_does():
    A = np.diag([2.0, 1.0, 1e-3])
    assert nnspca.Covariance.from_matrix(A).held.drift == 0.0
    assert nnspca.Covariance.from_matrix(A).held.room(3) == 0.0
    A[0, 2] = A[2, 0] = 0.5
    assert 0 < nnspca.Covariance.from_matrix(A, repair=True).held.drift < 1e-12


def test_what_is_made_of_a_covariance_drifts_as_it_does():
    X = np.random.default_rng(0).standard_normal((30, 6))
    cov = nnspca.Covariance.from_data(X)
    part = cov.restrict(np.array([0, 3]))
    assert (part.held.drift, part.held.error_elsewhere) == (cov.held.drift, cov.held.error_elsewhere)
    U = np.eye(6)[:, :1]
    for deflation in ("projection", "schur", "hotelling"):
        left = nnspca.deflate(cov, U, deflation)
        assert left.held.drift > cov.held.drift
        assert left.held.error_elsewhere > left.representation_error
