"""Where the tasks of a call run: threads here, an executor's workers, or the machines of a Dask cluster."""

from nnspca.machines.choice import HERE, Executor, call, check_executor, crew
from nnspca.machines.crew import Crew

__all__ = ["HERE", "Crew", "Executor", "call", "check_executor", "crew"]
