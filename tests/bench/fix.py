"""`dev.py bench fix`: how many checks a small model makes pass: in one round, in three, in three fresh tries.

Four suites: `quixbugs` and `exercism`, checkouts of those projects that --dir names (none is part of
Steward; without one the suite is left out and says so), `own`, twenty one-line faults in five languages
from tests/builder/one_line_faults, and `values`, ten in tables, constants, lambdas and closures. Of
Exercism those exercises are taken whose stub is one function, since one function is what the loop works on:
the first forty by name, each with its instructions as `about`.

The first try is the same for all three ways and is asked of the model once. A task is done in a project of
its own; after it the project must be as it was, and what is proposed is applied and checked once more.
Results are kept line by line in --results and gone on with from there, in an order that is shuffled once, so
that a part of them is a sample. A round may ask the model twice (an answer that is the old function costs no
round), so "one ask" is told beside "one round".

With --answers the model's answers are kept as well, and a question that was asked before, word by word, is
answered from there: so rows of a loop that was changed since can be had without the model, and it is seen
which questions the change has changed. The seconds of such a row are those of its checks alone, so it does
not count for the time.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import logging
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import structlog

from desktop.builder.builder import Builder, BuilderParts
from desktop.builder.check import CheckLimits
from desktop.builder.job import CheckJob, JobOutcome, LoopState, Strategy
from desktop.engine.requests import FinishReason, GenerateRequest, Metrics, Stream
from desktop.errors import UserFacing
from desktop.paths import Paths
from desktop.sandbox.confiner import Confiner
from desktop.tools.tool import Running
from tests.bench.engine import DEFAULT_MODEL, model_file, ours
from tests.bench.machine import machine

OWN = Path(__file__).resolve().parents[1] / "builder" / "one_line_faults"
VALUES = OWN.with_name("value_faults")
SUITES = ("quixbugs", "own", "values", "exercism")
EXERCISES = 40
TEST_S = 20.0  # of one run of a check of theirs, several of which hang; the others end within a second or two
SHUFFLE = 17
TARGETS = {
    "quixbugs": {"best_share": 0.5, "points_over_one_round": 5},
    "exercism": {"share": 0.3},
    "own": {"share": 0.6},
    "changed_or_worse": 0,
    "median_solved_s": 90,
}


@dataclass(frozen=True)
class Task:
    """A project to be made in a folder: files with their contents, the check and the file at fault."""

    suite: str
    name: str
    files: dict[str, str]
    check: str
    file: str
    about: str = ""
    build: str = ""
    needs: str = ""  # a program without which it cannot be run

    def lay_out(self, folder: Path) -> None:
        for name, content in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")


# -- the suites -----------------------------------------------------------------------------------------


def quixbugs(folder: Path) -> Iterator[Task]:
    python = f"{sys.executable} -m pytest -q"
    shared = {
        "conftest.py": (folder / "conftest.py").read_text(),
        "python_testcases/load_testdata.py": (folder / "python_testcases/load_testdata.py").read_text(),
        "python_testcases/node.py": (folder / "python_testcases/node.py").read_text(),
        "python_programs/node.py": (folder / "python_programs/node.py").read_text(),
    }
    for test in sorted((folder / "python_testcases").glob("test_*.py")):
        name = test.stem.removeprefix("test_")
        file = f"python_programs/{name}.py"
        files = {
            **shared,
            file: (folder / file).read_text(),
            f"python_testcases/{test.name}": test.read_text(),
        }
        data = folder / "json_testcases" / f"{name}.json"
        if data.is_file():
            files[f"json_testcases/{name}.json"] = data.read_text()
        yield Task("quixbugs", name, files, f"{python} python_testcases/{test.name}", file)


def exercism(folder: Path) -> Iterator[Task]:
    found = 0
    for exercise in sorted((folder / "exercises" / "practice").iterdir()):
        named = json.loads((exercise / ".meta" / "config.json").read_text(encoding="utf-8"))["files"]
        if len(named["solution"]) != 1 or not _is_one_function(exercise / named["solution"][0]):
            continue
        file, tests = named["solution"][0], named["test"]
        files = {each: (exercise / each).read_text(encoding="utf-8") for each in (file, *tests)}
        about = (exercise / ".docs" / "instructions.md").read_text(encoding="utf-8")
        check = f"{sys.executable} -m pytest -q {' '.join(tests)}"
        yield Task("exercism", exercise.name, files, check, file, about)
        found += 1
        if found == EXERCISES:
            return


def _is_one_function(stub: Path) -> bool:
    body = ast.parse(stub.read_text(encoding="utf-8")).body
    made = [each for each in body if isinstance(each, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef)]
    return len(made) == 1 and isinstance(made[0], ast.FunctionDef)


def own(suite: str, folder: Path) -> Iterator[Task]:
    for task in sorted(each for each in folder.iterdir() if (each / "task.json").is_file()):
        told = json.loads((task / "task.json").read_text(encoding="utf-8"))
        files = {
            each.relative_to(task).as_posix(): each.read_text(encoding="utf-8")
            for each in sorted(task.rglob("*"))
            if each.is_file() and each.name != "task.json" and "__pycache__" not in each.parts
        }
        check = told["check"].replace("python ", f"{sys.executable} ")
        yield Task(suite, task.name, files, check, told["file"], "", told.get("build", ""), told["needs"])


def tasks(suite: str, folder: Path | None) -> tuple[Task, ...]:
    """Of a suite; none where its checkout is not there."""
    if suite in ("own", "values"):
        return tuple(own(suite, OWN if suite == "own" else VALUES))
    place = folder / suite if folder is not None else None
    if place is None or not place.is_dir():
        return ()
    return tuple(quixbugs(place) if suite == "quixbugs" else exercism(place))


# -- running ----------------------------------------------------------------------------------------------


@dataclass
class Remembering:
    """The model, which is asked the same thing once: all three ways begin with one greedy try."""

    model: Any
    answers: Path | None = None  # where they are kept from one run to the next
    known: dict[str, tuple[list[str], Metrics]] = field(default_factory=dict)
    kept: set[str] = field(default_factory=set)  # of `known`: those of an earlier run
    replayed: int = 0
    tokens: int = 0
    asks: list[int] = field(default_factory=list)  # how often each round has asked

    def __post_init__(self) -> None:
        for row in kept(self.answers):
            self.known[row["question"]] = ([row["answer"]], Metrics(answer_tokens=row["tokens"]))
        self.kept = set(self.known)

    def begin(self) -> None:
        self.tokens, self.asks = 0, [0]

    def watch(self, state: LoopState) -> None:
        """Told of each step of the loop: a round that is done begins another one."""
        self.asks += [0] * (len(state.done) + 1 - len(self.asks))

    def submit(self, request: GenerateRequest) -> Stream:
        asked_for = (request.messages, request.sampling, request.answer_start)
        key = hashlib.sha256(repr(asked_for).encode()).hexdigest()
        if key not in self.known:
            asked = self.model.submit(request)
            self.known[key] = (list(asked), asked.metrics)
            self._keep(key)
        self.replayed += key in self.kept
        pieces, metrics = self.known[key]
        self.tokens += metrics.answer_tokens
        self.asks[-1] += 1
        stream = Stream(lambda: None)
        for piece in pieces:
            stream.put(piece)
        stream.end(FinishReason.STOP, metrics)
        return stream

    def _keep(self, key: str) -> None:
        if self.answers is not None:
            pieces, metrics = self.known[key]
            row = {"question": key, "answer": "".join(pieces), "tokens": metrics.answer_tokens}
            with self.answers.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")


def tree(folder: Path) -> str:
    """All of a project in one hash."""
    digest = hashlib.sha256()
    for path in sorted(each for each in folder.rglob("*") if each.is_file()):
        digest.update(f"{path.relative_to(folder)}\0{path.stat().st_mode}\0".encode() + path.read_bytes())
    return digest.hexdigest()


def one(task: Task, model: Remembering, parts: BuilderParts) -> dict[str, Any]:
    """A task in both ways that have three tries; one round is the first try of either."""
    result: dict[str, Any] = {"suite": task.suite, "task": task.name, "load": psutil.getloadavg()[0]}
    for strategy in Strategy:
        if strategy is Strategy.FRESH and not result["refined"]:
            # Nothing of an earlier try was shown to the model, so fresh tries are these very ones.
            result[strategy] = result[Strategy.ROUNDS]
            continue
        with tempfile.TemporaryDirectory(prefix="steward-bench-fix-") as place:
            project = Path(place) / "project"
            task.lay_out(project)
            before = tree(project)
            model.begin()
            job = CheckJob(
                task.check,
                project,
                (task.file,),
                task.build,
                task.about,
                strategy=strategy,
                session=f"{task.suite} {task.name} {strategy}",
            )
            try:
                outcome = Builder(parts).run(job, Running("bench"), model.watch)
            except UserFacing as error:
                result[strategy] = {"refused": error.code}
                result.setdefault("refined", False)
                continue
            result.setdefault("refined", len(outcome.rounds) > 1 and outcome.rounds[0].is_best)
            result[strategy] = {
                **told(outcome),
                "tokens": model.tokens,
                "asks": model.asks[: len(outcome.rounds)],
                "changed": tree(project) != before,
                "worse": is_worse(task, project, outcome),
            }
    result["replayed"] = model.replayed
    return result


def limits_of(task: Task) -> CheckLimits:
    """As the product has them; sooner where faults hang."""
    return CheckLimits() if task.suite in ("own", "values") else CheckLimits(test_s=TEST_S)


def told(outcome: JobOutcome) -> dict[str, Any]:
    return {
        "ending": outcome.ending.value,
        "function": outcome.place.function if outcome.place else "",
        "solved_in": len(outcome.rounds) if outcome.is_solved else 0,
        "seconds": round(outcome.seconds, 1),
        "passed": [outcome.before.passed, *(each.test.passed for each in outcome.rounds)],
        "failed": [outcome.before.failed, *(each.test.failed for each in outcome.rounds)],
        "statuses": [outcome.before.status.value, *(each.test.status.value for each in outcome.rounds)],
        "test_s": [round(each.test.duration_s, 1) for each in outcome.rounds],
        "notes": [each.build.notes for each in outcome.rounds],
        "code": [each.build.output for each in outcome.rounds],
    }


def is_worse(task: Task, project: Path, outcome: JobOutcome) -> bool:
    """Apply what is proposed, and run the check as a person would."""
    if outcome.proposal is None or not outcome.is_solved:
        return False
    (project / outcome.proposal.file).write_text(outcome.proposal.content, encoding="utf-8")
    line = f"{task.build} && {task.check}" if task.build else task.check
    done = subprocess.run(["bash", "-c", line], cwd=project, capture_output=True, timeout=120, check=False)
    return done.returncode != 0


# -- the report ---------------------------------------------------------------------------------


def report(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Shares of what was run, by suite; a part of a suite is said to be one."""
    made: dict[str, Any] = {}
    for suite in SUITES:
        ran = [row for row in rows if row["suite"] == suite]
        if ran:
            made[suite] = _suite(ran)
    runs = [row[each] for row in rows for each in Strategy if each in row]
    solved = _seconds(rows)
    made["changed_or_worse"] = sum(bool(run.get("changed") or run.get("worse")) for run in runs)
    made["runs"] = len(runs)
    made["median_solved_s"] = round(statistics.median(solved), 1) if solved else None
    return made


def _suite(ran: Sequence[dict[str, Any]]) -> dict[str, Any]:
    def share(good: int) -> float:
        return round(good / len(ran), 3)

    first = [row["rounds"] for row in ran if row["rounds"].get("solved_in") == 1]
    found: dict[str, Any] = {"tasks": len(ran), "one_round": share(len(first))}
    # Rows of a time before asks were counted say nothing of them.
    counted = [row["rounds"] for row in ran if "asks" in row["rounds"]]
    found["asks_counted"] = len(counted)
    found["solved_by_one_ask"] = sum(run["solved_in"] == 1 and run["asks"] == [1] for run in counted)
    # How busy the machine was belongs to every second that is told.
    found["load"] = round(statistics.median(row["load"] for row in ran), 1)
    done = _seconds(ran)
    found["median_solved_s"] = round(statistics.median(done), 1) if done else None
    for strategy in Strategy:
        runs = [row.get(strategy, {}) for row in ran]
        found[strategy.value] = share(sum(bool(run.get("solved_in")) for run in runs))
        found[f"{strategy.value}_tokens"] = sum(run.get("tokens", 0) for run in runs)
    return found


def _seconds(rows: Sequence[dict[str, Any]]) -> list[float]:
    """Of the tasks that were solved, the model having been asked for each answer."""
    return [
        row["rounds"]["seconds"] for row in rows if row["rounds"].get("solved_in") and not row.get("replayed")
    ]


def main() -> None:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default=DEFAULT_MODEL, help="a GGUF file, or the id of an installed model")
    parser.add_argument("--dir", type=Path, help="a folder with checkouts called quixbugs and exercism")
    parser.add_argument("--suite", action="append", choices=SUITES)
    parser.add_argument("--results", type=Path, help="where results are kept and gone on with")
    parser.add_argument("--answers", type=Path, help="where the model's answers are kept and taken from")
    parser.add_argument("--minutes", type=float, default=600.0, help="no task is begun after so long")
    parser.add_argument("--report", action="store_true", help="only tell what is kept")
    options = parser.parse_args()
    rows = kept(options.results)
    left_out: list[str] = []
    if not options.report:
        wanted, left_out = waiting(options, {(row["suite"], row["task"]) for row in rows})
        rows += run(options, wanted)
    result = {"bench": "fix", "machine": machine(), "left_out": left_out, **report(rows), "targets": TARGETS}
    print(json.dumps(result, indent=2))


def kept(file: Path | None) -> list[dict[str, Any]]:
    if file is None or not file.is_file():
        return []
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def waiting(options: argparse.Namespace, done: set[tuple[str, str]]) -> tuple[list[Task], list[str]]:
    """What is to be run, and why what is not."""
    found: list[Task] = []
    left_out = []
    for suite in options.suite or SUITES:
        every = tasks(suite, options.dir)
        if not every:
            left_out.append(f"{suite}: there is no checkout of it; name the folder with --dir")
        # Before those that are done are left out: a task that was cut short comes first the next time, and
        # what a run without an end has reached is no choice of the quick ones.
        for task in random.Random(SHUFFLE).sample(every, len(every)):
            if task.needs and shutil.which(task.needs) is None:
                left_out.append(f"{suite} {task.name}: {task.needs} is not installed")
            elif (suite, task.name) not in done:
                found.append(task)
    return found, left_out


def run(options: argparse.Namespace, wanted: Sequence[Task]) -> list[dict[str, Any]]:
    until = time.monotonic() + options.minutes * 60
    made: list[dict[str, Any]] = []
    model, on = model_file(options.model), machine()
    if not wanted or not model.is_file():
        return made
    with ours(model) as engine, tempfile.TemporaryDirectory(prefix="steward-bench-") as place:
        paths = Paths.under(Path(place))
        why = Confiner(paths).why_not_project()
        if why is not None:
            # Every task would be refused, and the rows kept as tasks that no try solves.
            raise SystemExit(f"checks cannot be confined here: {why}")
        for task in wanted:
            if time.monotonic() > until:
                break
            asked = Remembering(engine.engine, options.answers)
            parts = BuilderParts(asked, Confiner(paths), paths, limits=limits_of(task))
            made.append({**one(task, asked, parts), "commit": on["commit"], "processor": on["processor"]})
            print(json.dumps(made[-1]), file=sys.stderr)
            if options.results is not None:
                with options.results.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(made[-1]) + "\n")
    return made


if __name__ == "__main__":
    main()
