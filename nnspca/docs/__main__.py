"""Make the site: ``python -m nnspca.docs build [folder]``; the folder is ``build/docs`` where none is named."""

import argparse
import sys
from pathlib import Path


def main(words: list[str] | None = None) -> int:
    """Build the site and print where its first page is; the status is 0 only if nothing was amiss."""
    parser = argparse.ArgumentParser(prog="python -m nnspca.docs", description="Make the documents into one site.")
    parser.add_argument("command", choices=["build"])
    parser.add_argument("folder", nargs="?", type=Path, default=Path("build/docs"), help="where to (build/docs)")
    folder = parser.parse_args(words).folder
    try:
        from nnspca.docs.site.generator import build
    except ImportError as error:
        print(f'{error}: pip install -e ".[docs]"', file=sys.stderr)
        return 1
    problems = build(folder)
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{len(problems)} problems; the first page is {folder / 'index.html'}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
