"""Where the tasks of a call run: here, in threads, in processes of this machine, or on a Dask cluster."""

from nnspca.machines.processes import Processes
from nnspca.machines.workers import HERE, Executor, TaskArguments, Workers, asked, call, check_executor, jobs

__all__ = ["HERE", "Executor", "Processes", "TaskArguments", "Workers", "asked", "call", "check_executor", "jobs"]
