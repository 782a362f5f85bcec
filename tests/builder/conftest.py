"""Projects, and a model that says what it is told to."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from desktop.builder.builder import Builder, BuilderParts
from desktop.builder.check import CheckLimits
from desktop.builder.experience import Experience
from desktop.builder.job import CheckJob, JobOutcome, LoopState, Strategy
from desktop.engine.requests import FinishReason, GenerateRequest, Metrics, Stream
from desktop.paths import Paths
from desktop.sandbox.confiner import Confiner
from desktop.tools.tool import Running

collect_ignore = ["one_line_faults", "value_faults"]  # they fail: that is what they are there for
PYTEST = f"{sys.executable} -m pytest -q test_text.py"
CHECK = f"{sys.executable} -S test_text.py"
FAULTY = '''"""Texts."""

SIGN = "-"


def slug(text):
    """Lower case, words joined by dashes."""
    words = text.split()
    return "_".join(words)


def shout(text):
    return text.upper()
'''
TEST = """from text import shout, slug


def test_shout():
    assert shout("a") == "A"


def test_slug():
    assert slug("Hello World") == "hello-world"


def test_empty():
    assert slug("") == ""
"""
# What pytest would say, a second sooner for each run: most of these tests are about what follows from it.
RUNNER = """

def main():
    import sys, traceback

    passed = failed = 0
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            try:
                test()
                passed += 1
            except Exception:
                failed += 1
                print(f"____ {name} ____")
                traceback.print_exc(file=sys.stdout)
    print(f"{passed} passed, {failed} failed in 0.01s")
    sys.exit(failed > 0)


main()
"""
GOOD = '    return "-".join(text.lower().split())\n'
BAD = '    return "+".join(text.lower().split())\n'
OTHER = '    return "=".join(text.lower().split())\n'


class Told:
    """A model that answers with these texts, one after another; the last again and again."""

    def __init__(self, answers: Sequence[str | Callable[[], str]]) -> None:
        self.answers = list(answers)
        self.requests: list[GenerateRequest] = []

    def submit(self, request: GenerateRequest) -> Stream:
        answer = self.answers[min(len(self.requests), len(self.answers) - 1)]
        self.requests.append(request)
        stream = Stream(lambda: None)
        text = answer if isinstance(answer, str) else answer()
        if text:
            stream.put(text)
        stream.end(FinishReason.STOP, Metrics(answer_tokens=7))
        return stream


class Bench:
    """A project and whoever works on it."""

    def __init__(self, paths: Paths, project: Path) -> None:
        self.paths, self.project = paths, project
        self.model = Told([GOOD])
        self.running = Running("call")
        self.states: list[LoopState] = []
        self.experience: Experience | None = None
        self.limits = CheckLimits()
        self.lay_out({"text.py": FAULTY, "test_text.py": TEST + RUNNER})

    def lay_out(self, files: dict[str, str]) -> None:
        for name, content in files.items():
            path = self.project / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")

    def says(self, *answers: str | Callable[[], str]) -> None:
        self.model = Told(answers)

    def run(
        self,
        check: str = CHECK,
        *files: str,
        strategy: Strategy = Strategy.ROUNDS,
        build: str = "",
        rounds: int = 3,
        minutes: float = 10.0,
    ) -> JobOutcome:
        parts = BuilderParts(self.model, Confiner(self.paths), self.paths, self.experience, self.limits)
        job = CheckJob(
            check,
            self.project,
            files or ("text.py",),
            build,
            rounds=rounds,
            minutes=minutes,
            strategy=strategy,
            session="call",
        )
        return Builder(parts).run(job, self.running, self.states.append)

    def tree(self) -> dict[str, bytes]:
        return {
            each.relative_to(self.project).as_posix(): each.read_bytes()
            for each in sorted(self.project.rglob("*"))
            if each.is_file()
        }


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    project = tmp_path / "project"
    project.mkdir()
    paths = Paths.under(tmp_path / "profile")
    why = Confiner(paths).why_not_project()
    if why is not None:
        pytest.skip(f"checks cannot be confined here: {why}")
    return Bench(paths, project)
