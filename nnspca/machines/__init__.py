"""Where the tasks of a call run: threads or processes here, an executor's workers, or a Dask cluster's machines."""

from nnspca.machines.choice import HERE, Executor, call, check_executor, crew, jobs
from nnspca.machines.crew import Crew, TaskArguments
from nnspca.machines.pool import Pool

__all__ = ["HERE", "Crew", "Executor", "Pool", "TaskArguments", "call", "check_executor", "crew", "jobs"]
