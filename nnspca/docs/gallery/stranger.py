"""A certificate checked by a stranger
===================================

The data and a certificate go into two files. A program of its own, which uses neither this library nor NumPy, reads
them and checks every inequality in whole numbers and fractions. Here it runs in a new interpreter without site
packages (-I -S); on another machine, check.py and Python are enough.

`See the same in the app </?data=pitprops&k=5&proof=true&proof_view=certificate>`_.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import nnspca
import nnspca.check

X = nnspca.datasets.load("pitprops").X
cov = nnspca.Covariance.from_matrix(X)
cert = nnspca.certify(cov, k=5)
with tempfile.TemporaryDirectory() as folder:
    nnspca.save_certificate(cert, Path(folder, "certificate.npz"), cov)
    np.save(Path(folder, "data.npy"), X)
    command = [sys.executable, "-I", "-S", nnspca.check.__file__, "certificate.npz", "data.npy"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
print(done.stdout + f"status {done.returncode}")
figure = cert.plot()
