"""Attack for a while: ``python -m tests.fuzz [--seconds 300] [--seed 0] [--only forged] [--first 0]``."""

import argparse
import sys
import time
import traceback

from tests.fuzz import bombs, forged, generator, holders, honest, starts

CAMPAIGNS = {
    "forged": (forged.attempt, 0.2, "forged certificates"),
    "starts": (starts.attempt, 0.05, "forged certificates to start from"),
    "honest": (honest.attempt, 0.1, "honest certificates of every kind, by plans that no gap satisfies"),
    "oracle": (honest.compared, 0.1, "bounds of every kind beside brute force"),
    "bombs": (bombs.attempt, 0.2, "files made to exhaust their reader"),
    "holders": (holders.attempt, 0.05, "strange arrays, tables and sparse arrays"),
}


def main() -> int:
    """Run every campaign for its share of the time; 1 if anything got through."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=300.0, help="for all campaigns together")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=CAMPAIGNS, help="one campaign alone")
    parser.add_argument("--first", type=int, default=0, help="number of the first attempt, to make one again")
    asked = parser.parse_args()
    chosen = {asked.only: CAMPAIGNS[asked.only]} if asked.only else CAMPAIGNS
    whole = sum(share for _, share, _ in chosen.values())
    through = 0
    for name, (attempt, share, what) in chosen.items():
        end = time.monotonic() + asked.seconds * share / whole
        made = refused = 0
        while time.monotonic() < end:
            number = asked.first + made
            made += 1
            try:
                refused += not attempt(generator(name, number, asked.seed))
            except Exception:  # counted, shown, and the campaign goes on
                through += 1
                print(f"{what}: attempt {number} of seed {asked.seed} got through", file=sys.stderr)
                traceback.print_exc()
        if attempt in (honest.attempt, honest.compared):
            print(", ".join(f"{count:,} {kind}" for kind, count in honest.SEEN.most_common()))
        print(f"{made:9,} {what}: {refused:,} refused, {made - refused:,} let in and harmless", flush=True)
    print(f"{through} got through")
    return int(through > 0)


if __name__ == "__main__":
    sys.exit(main())
