"""Cluster: the same call on many machines
=======================================

Any executor of concurrent.futures, or a Dask client, takes the work; the answer does not depend on where it ran. Here
the client stays on this machine. On a cluster, name its scheduler: distributed.Client("tcp://HOST:8786").

`See the same in the app </?data=digits&k=10>`_.
"""

import distributed

import nnspca

cov = nnspca.Covariance.from_dataset(nnspca.datasets.load("digits"))
ks = [2, 5, 10, 20]
with distributed.Client(processes=False, n_workers=1, threads_per_worker=2, dashboard_address=None) as client:
    there = nnspca.sweep(cov, k=ks, executor=client)
here = nnspca.sweep(cov, k=ks)

print(
    "same answer there and here:",
    [p.component.variance for p in there.points] == [p.component.variance for p in here.points],
)
figure = there.plot()
