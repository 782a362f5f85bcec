"""Checks that every word of the windows can be translated, and that the German file has all of them.

Runs as `python -m tests.check_words [ROOT]`, prints what is wrong, and exits with 1 if anything is.
"""

from __future__ import annotations

import sys
from pathlib import Path

from bootstrap.words import unwrapped, wrong_with


def main(root: Path) -> int:
    wrong = [*unwrapped(root), *wrong_with(root)]
    sys.stdout.writelines(f"{sentence}\n" for sentence in wrong)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path()))
