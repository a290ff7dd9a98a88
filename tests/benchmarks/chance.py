"""How often statements about chance are wrong: ``python -m tests.benchmarks.chance [draws] [table …]``.

``python -m tests.benchmarks.chance store [name …]`` writes what the app knows of the data that come with the package.
"""

import json
import sys
import warnings
from functools import partial

import numpy as np

import nnspca
from nnspca.result import ParallelAnalysis, rounded
from nnspca.tasks import best_separation
from nnspca.view import chance, stored
from nnspca.view.explore import choices

MOST = 450  # largest k whose chance is stored: of 12,582 genes, one search for more takes half a minute
SHAPES = ((30, 120), (60, 40), (200, 20))


def noise(rng, m, n, kind="normal"):
    """Independent columns: normal, of heavy tails, or of few counts."""
    draw = {
        "normal": rng.standard_normal,
        "heavy": lambda s: rng.standard_t(3, s),
        "counts": lambda s: rng.poisson(1, s),
    }
    return draw[kind]((m, n)).astype(float)


def planted(rng, m, n, k, strength, r=1):
    """Noise in which r blocks of k columns each have a part in common, of this strength."""
    X = rng.standard_normal((m, n))
    for c in range(r):
        X[:, c * k : (c + 1) * k] += strength * rng.standard_normal((m, 1))
    return X


def rejected(draws):
    """Share of tables of independent columns in which the first part is more than chance."""
    for m, n in SHAPES:
        for kind in ("normal", "heavy", "counts"):
            hits = []
            for t in range(draws):
                X = noise(np.random.default_rng([m, t]), m, n, kind)
                hits.append(nnspca.parallel_analysis(X, 5, method="greedy", seed=t).is_more)
            yield f"noise {m} × {n}, {kind}", np.mean(hits)


def rows_of(found: ParallelAnalysis) -> list[list[float]]:
    """Return rows for the file: k or the number of the part, shares rounded so that none gains, the p-value."""
    return [
        [place, rounded.floor(share, 6), rounded.ceil(reach, 6), round(p, 3)]
        for place, share, reach, p in (row.values() for row in found.to_records())
    ]


def store(names):
    """Write what chance gives beside the views that are stored: along k, and of 1 to 10 parts at the opening k."""
    kept = {problem: dict(held) for problem, held in chance.chances().items()} if chance.FILE.exists() else {}
    for problem, held in sorted(stored.problems().items(), key=lambda item: not item[1].opened):
        if (names and held.name not in names) or problem in kept:
            continue
        data = nnspca.datasets.load(held.name)
        if data.kind != "covariance":
            how = {"standardize": problem[1], "nonnegative": problem[2]}
            path = choices.path_ks(data.n_features, held.opening)
            ks = {*choices.thinned(tuple(k for k in path if k <= MOST), 6), held.opening}
            light = partial(nnspca.parallel_analysis, data, draws=chance.DRAWS, method=chance.LIGHT, **how)
            kept[problem] = {
                "name": held.name,
                "hash": problem[0],
                **how,
                "k": held.opening,
                "light": True,
                "ks": rows_of(light(ks)),
                "parts": rows_of(light(held.opening, min(10, data.n_features))) if held.opened else [],
            }
            lines = ",\n".join(json.dumps(each) for each in kept.values())
            chance.FILE.write_text(f"[\n{lines}\n]\n", "utf-8")
            print(held.name, *problem[1:], flush=True)


def suggested(draws, ask):
    """Yield a label, how many parts of 5 among 30 features are planted, and how many are suggested in each table."""
    for m in (40, 100, 400):
        for strength in (0.0, 0.6, 0.8, 1.2):
            tables = (planted(np.random.default_rng([m, t]), m, 30, 5, strength, r=3) for t in range(draws))
            found = np.array([ask(X, 5, method="greedy", seed=t).suggested_n_components for t, X in enumerate(tables)])
            yield f"m = {m}, strength {strength:g}", 3 if strength else 0, found


def parts(draws):
    """Share of tables in which as many parts are suggested as were planted."""
    for label, count, found in suggested(draws, partial(nnspca.parallel_analysis, n_components=5)):
        yield label, np.mean(found == count)


def cardinality(draws):
    """Share of tables in which held-out samples ask for the planted k = 5 of 20, for fewer, more, and for none."""
    ks = (1, 2, 3, 4, 5, 6, 7, 8, 10, 13, 16, 20)
    for m in (50, 200, 1000):
        for strength in (0.0, 0.5, 0.8, 1.2):
            found = []
            for t in range(draws):
                X = planted(np.random.default_rng([m, t]), m, 20, 5, strength)
                k = nnspca.cross_validate(X, ks, method="greedy", seed=t).suggested_k
                found.append("none" if k is None else "exact" if k == 5 else "below" if k < 5 else "above")
            for word in ("exact", "below", "above", "none"):
                yield f"m = {m}, strength {strength:g}: {word}", found.count(word) / draws


def components(draws):
    """Share of tables in which held-out samples ask for three parts, for none, and for more."""
    for label, _, found in suggested(draws, partial(nnspca.cross_validate, n_components=range(1, 7))):
        for word, is_so in (("exact", found == 3), ("none", found == 0), ("above", found > 3)):
            yield f"{label}: {word}", is_so.mean()


def intervals(draws):
    """Share of tables whose 95 % interval has the variance that the component of k = 5 of 20 explains of all."""
    S = np.eye(20)
    S[:5, :5] += 0.64
    for kind in ("normal", "heavy"):
        for m in (50, 200, 1000):
            hits = []
            for t in range(draws):
                rng = np.random.default_rng([m, t])
                X = noise(rng, m, 20, kind)
                X[:, :5] += 0.8 * noise(rng, m, 1, kind)
                x = nnspca.solve(nnspca.Covariance.from_data(X, standardize=False), 5, "greedy").loadings
                found = nnspca.cross_validate(X, 5, method="greedy", standardize=False, seed=t)
                hits.append(abs(found.mean[0] - x @ S @ x / 23.2) <= found.interval[0])
            yield f"{kind}, m = {m}", np.mean(hits)


def classes(draws):
    """Share of random labels that scores separate more than chance."""
    for m, r, count in ((40, 1, 2), (60, 3, 4), (100, 10, 10)):
        hits = []
        for t in range(draws):
            rng = np.random.default_rng([m, t])
            values, labels = rng.standard_normal((m, r)), rng.integers(count, size=m)
            able = [c for c in range(count) if (labels == c).sum() >= 5]
            hits.append(best_separation(values, labels, able).p_value <= 0.05)
        yield f"{m} samples, {r} parts, {count} classes", np.mean(hits)


TABLES = {
    "noise": rejected,
    "parts": parts,
    "k": cardinality,
    "r": components,
    "intervals": intervals,
    "classes": classes,
}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    count, *names = sys.argv[1:] or ["200"]
    if count == "store":
        store(names)
        sys.exit()
    for name in names or TABLES:
        for label, share in TABLES[name](int(count)):
            print(f"{name:10} {label:40} {share:.3f}", flush=True)
