"""Write the stored ledger: ``python -m tests.ledger [--seconds S] [--missing] [name …]``; NNSPCA_DATA names the data.

For each data set at hand, in the view it opens with: a component and an upper bound at some 25 k and at those that the
documents name, and for 1 to 10 parts at the opening k, each from a thorough run of so many processor seconds at most.
Every certificate is verified before it is written. What is in the file already is only ever improved, so that a second
run with more seconds goes on from the first; with ``--missing`` only k that are not in it yet are proven.
"""

import argparse
import json
import math
import time
from dataclasses import replace

import numpy as np

import nnspca
from nnspca.control.threads import one_blas_thread
from nnspca.studies import PRINTED
from nnspca.view import ledger
from nnspca.view.explore import run
from nnspca.view.link.state import opening, usual_k
from tests.benchmarks import certificates, live

RESTARTS, LEADERS = 100, 25  # of the search for a component before each proof
MOST_PARTS = 10


def named(name, n):
    """Return the k that README, the benchmarks and the papers name of a data set of n features."""
    measured = [k for title, _, ks in live.DATA if title == name for k in ks]
    printed = [p.k for p in PRINTED if certificates.STUDIED.get(p.study) == name and p.k is not None]
    return {k for k in (*certificates.TABLE_KS, *measured, *printed) if k <= n}


def patience(seconds):
    """Return what tells a run that its processor seconds are spent."""
    end = time.process_time() + seconds
    return lambda: time.process_time() > end


def record_of(name, seconds, before, missing):
    """Return what is stored of one data set, improved on ``before`` where there is any."""
    data = nnspca.datasets.load(name)
    standardise, usual = opening(name).standardise, usual_k(data.n_features, name)
    cov = nnspca.Covariance.from_dataset(data, standardize=standardise)
    components, parts = {}, {}
    if before is not None and (before.content_hash, before.standardise) == (data.content_hash, standardise):
        components, parts = dict(before.components), dict(before.parts)
    warm = None
    for k in sorted({*run.cardinalities(data.n_features, usual), *named(name, data.n_features)}):
        held = components.get(k)
        if held is not None and (missing or held[0].variance > (1 - 1e-9) * held[1]):
            continue
        start = None if held is None else held[0].loadings
        part = nnspca.solve(cov, k, restarts=RESTARTS, leaders=LEADERS, start=start, should_stop=patience(seconds))
        quick = nnspca.certify(cov, k, component=part, warm_start=warm)
        proof = nnspca.certify(
            cov, k, effort="thorough", component=quick.component, warm_start=quick, should_stop=patience(seconds)
        )
        proof = min(quick, proof, key=lambda c: c.upper)
        nnspca.verify(proof, cov)
        warm = proof
        component = packed(proof.component, cov, k)
        if held is not None:
            component = max(component, held[0], key=lambda c: c.variance)
        components[k] = component, min(proof.upper, math.inf if held is None else held[1])
        print(f"{name} k={k}: {component.variance / components[k][1]:.7f} by {proof.winner.name}", flush=True)
    one = components[usual]
    warm = None
    for r in range(1, min(MOST_PARTS, data.n_features) + 1):
        held = parts.get(r)
        if r == 1:
            parts[1] = (one[0],), one[1]
            continue
        if held is not None and (missing or sum(p.variance for p in held[0]) > (1 - 1e-9) * held[1]):
            continue
        found = nnspca.decompose(cov, r, usual, deflation="together")
        quick = nnspca.certify_parts(cov, r, usual, found, warm_start=warm)
        proof = nnspca.certify_parts(
            cov, r, usual, quick.parts, effort="thorough", warm_start=quick, should_stop=patience(seconds)
        )
        proof = min(quick, proof, key=lambda c: c.upper)
        nnspca.verify(proof, cov)
        warm = proof
        made = tuple(packed(part, cov, usual) for part in proof.parts)
        if held is not None:
            made = max(made, held[0], key=lambda group: math.fsum(p.variance for p in group))
        parts[r] = made, min(proof.upper, math.inf if held is None else held[1])
        print(f"{name} r={r}: {math.fsum(p.variance for p in made) / parts[r][1]:.6f}", flush=True)
    return ledger.Record(name, data.content_hash, standardise, data.n_features, usual, components, parts)


def packed(component, cov, k):
    """Return a component as it is read back, with the variance that is left."""
    loadings = ledger.unpack(*ledger.pack(component.loadings), len(component.loadings))
    return replace(component, loadings=loadings, variance=cov.variance(loadings), k=k)


def write(records):
    """Write all records into the one file."""
    about, arrays = {}, {}
    for name, record in sorted(records.items()):
        ks, counts = sorted(record.components), sorted(record.parts)
        singles = [record.components[k][0] for k in ks]
        groups = [record.parts[r][0] for r in counts]
        each = [part for group in groups for part in group]
        about[name] = {
            "content_hash": record.content_hash,
            "standardise": record.standardise,
            "n": record.n,
            "opening": record.opening,
            "ks": ks,
            "lower": [part.variance for part in singles],
            "upper": [record.components[k][1] for k in ks],
            "nonzeros": [part.cardinality for part in singles],
            "counts": counts,
            "parts_of": [len(group) for group in groups],
            "parts_lower": [part.variance for part in each],
            "parts_upper": [record.parts[r][1] for r in counts],
            "parts_nonzeros": [part.cardinality for part in each],
        }
        for kind, listed in (("", singles), ("parts_", each)):
            pairs = [ledger.pack(part.loadings) for part in listed]
            arrays[f"{name}/{kind}support"] = np.concatenate([support for support, _ in pairs])
            arrays[f"{name}/{kind}levels"] = np.concatenate([levels for _, levels in pairs])
    np.savez_compressed(ledger.FILE, about=np.array(json.dumps(about)), **arrays)
    print(f"{ledger.FILE.name}: {ledger.FILE.stat().st_size / 1e3:.0f} kB", flush=True)


def main():
    """Improve what is stored of the data sets named, or of all at hand."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--missing", action="store_true")
    chosen = parser.parse_args()
    records = dict(ledger.records()) if ledger.FILE.exists() else {}
    for info in nnspca.datasets.available():
        if info.local and (not chosen.names or info.name in chosen.names):
            with one_blas_thread():
                before = records.get(info.name)
                records[info.name] = record_of(info.name, chosen.seconds, before, chosen.missing)
            write(records)


if __name__ == "__main__":
    main()
