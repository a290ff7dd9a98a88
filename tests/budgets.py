"""Small budgets for certificates: every bound is computed, none for long."""

from dataclasses import replace

import nnspca
from nnspca.bounds import certificate, core, plan
from nnspca.bounds.plan import PLANS
from nnspca.components import _certify as of_parts
from nnspca.solvers import dspca, scotlass
from nnspca.tasks import _rounds


def each(**fields):
    """Return every plan with these fields."""
    return {name: replace(plan, **fields) for name, plan in PLANS.items()}


def at_any_gap(patch):
    """Compute every bound of the mix, even where one already meets the optimum; of few features, cases too."""
    patch.setattr(certificate, "SETTLED", -1.0)
    patch.setattr(plan, "WORTHWHILE", 0)
    patch.setattr(certificate, "SMALL", -1.0)


def small(patch, *, pair_steps):
    """Compute every bound of the mix but cases, even where one already meets the optimum."""
    patch.setattr(certificate, "SMALL", -1.0)
    patch.setattr(_rounds, "PLANS", each(relaxation=0.3, closed=-1.0))
    patch.setattr(plan.Plan, "steps", lambda *_: pair_steps)


def quick(patch):
    """Let live certificates compute the quick bounds only, whatever gap they leave."""

    def tighten(problem, known, plan):
        if plan.hurried:
            return certificate.first_bounds(problem, known, plan)
        return certificate.upper_bounds(problem, known, plan)

    patch.setattr(_rounds, "upper_bounds", tighten)


def hurried(patch, branch_seconds=0.2):
    """Let certificates compute all they compute otherwise, on as many features, in fewer steps."""
    patch.setattr(_rounds, "PLANS", each(relaxation=0.2, trees=branch_seconds))
    patch.setattr(plan.Plan, "rows", lambda self, problem, *_: problem.n)  # and read as many rows


def of_live_parts(patch, most=None, **changed):
    """Let live certificates of several parts have a plan that is changed in these fields, and small cores."""
    if most is not None:
        patch.setattr(plan, "ON_ALL", 0)
        patch.setattr(core, "MOST_IN_CORE", most)
    live = replace(PLANS["live"], **changed)
    patch.setattr(_rounds, "PLANS", {**PLANS, "live": live})


def brief(patch):
    """Let live certificates of several parts stop after a few starts and steps of the joint dual, and make no cases."""
    live = PLANS["live"]
    of_live_parts(patch, relaxation=live.relaxation / 20, trees=0.0)
    few_starts(patch)


def few_starts(patch):
    """Let the search for parts begin anew a few times only: what is proven of the parts found holds for any."""
    patch.setattr(of_parts, "STARTS", dict.fromkeys(of_parts.STARTS, 4))
    patch.setitem(nnspca.decompose.__wrapped__.__kwdefaults__, "starts", 4)


def few_steps(patch):
    """Let the relaxations that are solved in steps be solved roughly: any component is feasible."""
    patch.setattr(dspca, "PENALTY_STEPS", dspca.PENALTY_STEPS // 5)
    patch.setattr(scotlass, "CLIMB_STEPS", scotlass.CLIMB_STEPS // 5)


def lean(method, n_features):
    """Return options with which the slow methods end soon on many features; what is proven holds for any."""
    if n_features < 50:
        return {}
    return {
        "enumeration": {"rank": 2 if n_features < 300 else 1},
        "elastic-net": {"rounds": 1},
        "coordinate-descent": {"restarts": 1, "max_iter": 1 if n_features > 5000 else 5},
        "nmf": {"max_iter": 40},
    }.get(method, {})
