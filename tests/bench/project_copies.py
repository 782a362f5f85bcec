"""`dev.py bench project_copies`: what copies of a whole project cost before a command, first and later."""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from desktop.database import Database
from desktop.gate import migrations
from desktop.gate.journal import Journal
from desktop.gate.project_copies import ProjectCopies
from desktop.paths import Paths
from tests.bench.machine import machine

FILES_A_FOLDER = 50


def make_project(root: Path, files: int) -> None:
    """A repository of text files of 1 to 10 kB, all committed."""
    chance = random.Random(5)
    for number in range(files):
        path = root / f"folder{number // FILES_A_FOLDER:03}" / f"file{number}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(chance.randbytes(chance.randint(500, 5_000)).hex().encode())
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run([*git, *words], cwd=root, check=True, capture_output=True)


def measure(files: int, rounds: int) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as folder:
        paths, root = Paths.under(Path(folder, "profile")), Path(folder, "project")
        make_project(root, files)
        database = Database(paths.database, migrations.MIGRATIONS)
        copies = ProjectCopies(database, Journal(database, paths.journal), paths.project_copies)
        first_ms = _ms(lambda: copies.begin(root, "first"))
        copies.settle("first")
        begin_ms, settle_ms = [], []
        for number in range(rounds):
            begin_ms.append(_ms(lambda call=str(number): copies.begin(root, call)))  # type: ignore[misc]
            for each in range(5):
                (root / "folder000" / f"file{each}.txt").write_text(f"{number}")
            settle_ms.append(_ms(lambda call=str(number): copies.settle(call)))  # type: ignore[misc]
        kept = sum(path.stat().st_size for path in paths.project_copies.rglob("*") if path.is_file())
        database.close()
    return {
        "bench": "project_copies",
        "machine": machine(),
        "files": files,
        "first_ms": round(first_ms, 1),
        "later_before_p50_ms": round(statistics.median(begin_ms), 1),
        "later_after_five_changes_p50_ms": round(statistics.median(settle_ms), 1),
        "kept_mb": round(kept / 1e6, 1),
    }


def _ms(act: Callable[[], object]) -> float:
    started_s = time.perf_counter()
    act()
    return (time.perf_counter() - started_s) * 1000


def main() -> None:
    parser = argparse.ArgumentParser(prog="dev.py bench project_copies", description=__doc__)
    parser.add_argument("--files", type=int, default=5_000)
    parser.add_argument("--rounds", type=int, default=15)
    wanted = parser.parse_args()
    sys.stdout.write(json.dumps(measure(wanted.files, wanted.rounds), indent=2) + "\n")


if __name__ == "__main__":
    main()
