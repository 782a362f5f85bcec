"""One check, one function, three tries: what comes of it, and what is never done."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from desktop.builder.check import CheckLimits, CheckRunner
from desktop.builder.job import Improvement, JobEnding, Stage, Strategy, TestState, TestStatus
from desktop.builder.reasons import BuilderReason
from desktop.errors import UserFacing
from tests.builder.conftest import BAD, CHECK, GOOD, OTHER, PYTEST, RUNNER, TEST, Bench

pytestmark = pytest.mark.children


def test_a_fault_is_mended_in_the_copy_alone(bench: Bench) -> None:
    """The check passes with what is proposed; the user's files and folder are as they were."""
    before = bench.tree()
    outcome = bench.run()
    assert outcome.ending is JobEnding.SOLVED
    assert outcome.after.exit_code == 0
    assert (outcome.before.passed, outcome.before.failed) == (2, 1)
    assert outcome.proposal is not None
    assert '+    return "-".join(text.lower().split())' in outcome.proposal.diff
    assert outcome.place is not None
    assert (outcome.place.function, outcome.place.first_line) == ("slug", 6)
    assert bench.tree() == before
    assert not list((bench.paths.cache / "builder").iterdir())


@pytest.mark.slow
def test_the_rest_of_the_file_stays_letter_by_letter(bench: Bench) -> None:
    """Only the lines of the one function are others."""
    outcome = bench.run()
    assert outcome.proposal is not None
    old = (bench.project / "text.py").read_text()
    assert outcome.proposal.content.startswith(old[: old.index("def slug")])
    assert outcome.proposal.content.endswith(old[old.index("\n\n\ndef shout") :])


def test_three_tries_and_an_honest_end(bench: Bench) -> None:
    """Retry, refine, escalate at their temperatures; then a person is told where to look. No fourth."""
    bench.says(BAD, OTHER, "    return str(len(text))\n", GOOD)
    outcome = bench.run(strategy=Strategy.FRESH)
    assert outcome.ending is JobEnding.ESCALATED
    assert [each.improvement for each in outcome.rounds] == list(Improvement)
    assert len(bench.model.requests) == 3
    assert outcome.says.code is BuilderReason.TRIED
    assert outcome.next_step is not None
    assert outcome.next_step.code is BuilderReason.LOOK_AT_FUNCTION
    assert outcome.proposal is None


def test_the_question_says_how_often_the_check_runs_at_most(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twice as it is, after three tries, and without the change after a pass, in both languages."""
    runs: list[TestState] = []
    real = CheckRunner.test

    def counted(self: CheckRunner, check: str, file: str, least: int, limit_s: float) -> TestState:
        runs.append(real(self, check, file, least, limit_s))
        return runs[-1]

    monkeypatch.setattr(CheckRunner, "test", counted)
    bench.says(BAD, OTHER, GOOD)
    assert bench.run(strategy=Strategy.FRESH).ending is JobEnding.SOLVED
    assert len(runs) == 6
    says = BuilderReason.CHECK_RUNS.of(folder=bench.project)
    assert "up to six times" in str(says)
    assert "bis zu sechsmal" in says.in_language("de")


@pytest.mark.slow
@pytest.mark.parametrize("rounds", [4, 99])
def test_more_rounds_than_three_are_never_had(bench: Bench, rounds: int) -> None:
    """Whoever asks for more gets three."""
    bench.says(BAD, OTHER, "    return 'x'\n", GOOD)
    assert len(bench.run(rounds=rounds, strategy=Strategy.FRESH).rounds) == 3


def test_the_same_text_twice_ends_it(bench: Bench) -> None:
    """The check is not run for what it was run for, and a second round of it is the last."""
    bench.says(BAD)
    outcome = bench.run()
    assert outcome.ending in (JobEnding.REPEATED, JobEnding.ESCALATED)
    tested = [each for each in outcome.rounds if each.test.status is not TestStatus.NOT_RUN]
    assert len(tested) == 1


def test_the_same_function_again_costs_no_round(bench: Bench) -> None:
    """Where the model writes the faulty function down again, it is asked once more, without the body."""
    same = '    words = text.split()\n    return "_".join(words)\n'
    bench.says(same, GOOD)
    outcome = bench.run()
    assert outcome.ending is JobEnding.SOLVED
    assert [each.number for each in outcome.rounds] == [1]
    assert outcome.rounds[0].build.tokens == 14
    shown, anew = (each.messages[-1].content for each in bench.model.requests)
    assert "text.split()" in shown
    assert "text.split()" not in anew


def test_the_same_failure_twice_ends_it(bench: Bench) -> None:
    """Another text with the very same failure is no step forward."""
    bench.says(BAD, '    words = text.lower().split()\n    return "+".join(words)\n', GOOD)
    outcome = bench.run()
    assert outcome.ending is JobEnding.REPEATED
    assert len(outcome.rounds) == 2


def test_a_try_that_passes_fewer_tests_is_thrown_away(bench: Bench) -> None:
    """What is told to the model next is the best so far: here still the original."""
    bench.says('    return "no"\n', GOOD)
    outcome = bench.run()
    assert [each.is_best for each in outcome.rounds] == [False, True]
    assert '"no"' not in bench.model.requests[1].messages[-1].content


@pytest.mark.slow
def test_the_nearest_is_offered_only_where_it_is_nearer(bench: Bench) -> None:
    """More tests pass than before, and it is said how many; it is not called solved."""
    more = TEST + '\n\ndef test_never():\n    assert slug("A B") == "zzz"\n'
    bench.lay_out({"test_text.py": more + RUNNER})
    bench.says(GOOD, OTHER, "    return 1\n")
    outcome = bench.run()
    assert outcome.ending is not JobEnding.SOLVED
    assert outcome.says.code is BuilderReason.TRIED_NEARER
    assert outcome.says.value("passed") == 3
    assert outcome.proposal is not None
    assert not outcome.proposal.solves


# -- what is said before it starts ------------------------------------------------------------------------


def test_what_passes_is_left_alone(bench: Bench) -> None:
    """No model is asked."""
    outcome = bench.run(f"{sys.executable} -c pass")
    assert outcome.ending is JobEnding.PASSES_ALREADY
    assert not bench.model.requests


def test_a_flaky_check_is_said(bench: Bench) -> None:
    """It is run twice on the same files; where that comes out differently nothing is tried."""
    seen = "import sys, tempfile, pathlib; p = pathlib.Path(tempfile.gettempdir()) / 'seen'"
    line = f'{sys.executable} -c "{seen}; sys.exit(p.exists() or p.touch() or 0)"'
    outcome = bench.run(line)
    assert outcome.ending is JobEnding.FLAKY
    assert not bench.model.requests


REFUSED = {
    "no check": (("  ", "text.py"), BuilderReason.NO_CHECK),
    "several files": ((CHECK, "text.py", "test_text.py"), BuilderReason.SEVERAL_FILES),
    "a test": ((CHECK, "test_text.py"), BuilderReason.IS_A_TEST),
    "a file elsewhere": ((CHECK, "../elsewhere.py"), BuilderReason.OUTSIDE),
    "a file that is not there": ((CHECK, "other.py"), BuilderReason.NO_SUCH_FILE),
    "another language": ((CHECK, "notes.txt"), BuilderReason.NO_LANGUAGE),
    "an unknown program": (("no-such-program-here", "text.py"), BuilderReason.CHECK_NOT_FOUND),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_it_does_not_do_is_said(bench: Bench, name: str) -> None:
    """By a reason, before a model is asked."""
    words, reason = REFUSED[name]
    bench.lay_out({"notes.txt": "x"})
    with pytest.raises(UserFacing) as refused:
        bench.run(*words)
    assert refused.value.reason.code is reason
    assert not bench.model.requests


# -- what never happens --------------------------------------------------------------------------------------

CHEATS = {
    "the test is written over": (
        '    import pathlib\n    pathlib.Path("test_text.py").write_text("")\n    return ""\n'
    ),
    "the program is ended": "    import os\n    os._exit(0)\n",
    "the program is ended by another name": '    import os\n    getattr(os, "_" + "exit")(0)\n',
    "the tests are left out": (
        "    import sys\n    sys.modules['__main__'].test_empty = None\n    raise SystemExit\n"
    ),
}


@pytest.mark.parametrize("name", CHEATS)
def test_a_pass_that_proves_nothing_is_none(bench: Bench, name: str) -> None:
    """Tests cannot be changed, and fewer of them than before are no pass."""
    before = bench.tree()
    bench.says(CHEATS[name])
    outcome = bench.run()
    assert not outcome.is_solved
    assert outcome.proposal is None
    assert bench.tree() == before


ESCAPES = {
    "writes outside": "    open({outside!r}, 'w').write('x')\n    return 'hello-world' if text else ''\n",
    "connects": (
        "    import socket\n    try:\n        socket.create_connection(('127.0.0.1', {port}), 2)\n"
        "    except OSError:\n        return ''\n    return 'hello-world' if text else ''\n"
    ),
}


@pytest.mark.parametrize("name", ESCAPES)
def test_what_is_tried_reaches_nothing_outside(bench: Bench, tmp_path: Path, name: str) -> None:
    """No file beyond the copy is written, and no server of this computer is reached."""
    import socket

    with socket.create_server(("127.0.0.1", 0)) as server:
        outside = tmp_path / "outside.txt"
        code = ESCAPES[name].format(outside=str(outside), port=server.getsockname()[1])
        bench.says(code)
        outcome = bench.run()
        server.setblocking(False)
        with pytest.raises(BlockingIOError):
            server.accept()
    assert not outside.exists()
    assert not outcome.is_solved


@pytest.mark.slow
def test_done_is_the_check_s_own_exit_code(bench: Bench) -> None:
    """Words of success in the output are none."""
    bench.says("    print('3 passed in 0.01s')\n    return 'x'\n")
    assert not bench.run().is_solved


TABLE = """SIGNS = {
    "word": "_",
    "line": "+",
}


def slug(text):
    return SIGNS["word"].join(text.lower().split())
"""
SHOUT = "\n\ndef shout(text):\n    return text.upper()\n"
SAME = '    return SIGNS["word"].join(text.lower().split())\n'
MENDED_TABLE = '    "word": "-",\n    "line": "+",\n}\n\n\nprint(1'  # cut in what is asked of nobody


def test_a_table_is_asked_for_where_nothing_is_wrong_in_its_function(bench: Bench) -> None:
    """The model writes the function as it stands: then the fault may be in what it uses."""
    bench.lay_out({"text.py": TABLE + SHOUT})
    bench.says(SAME, MENDED_TABLE)
    outcome = bench.run()
    assert outcome.is_solved
    assert len(outcome.rounds) == 1
    assert outcome.place is not None
    assert (outcome.place.function, outcome.place.last_line) == ("SIGNS", 4)
    assert "`SIGNS`" in bench.model.requests[1].messages[1].content
    assert outcome.proposal is not None
    assert outcome.proposal.content == TABLE.replace('"_"', '"-"') + SHOUT


def test_a_function_with_a_table_has_its_tries_all_the_same(bench: Bench) -> None:
    """Where the table comes as it stands, too, the function is written anew in the same round."""
    bench.lay_out({"text.py": TABLE + SHOUT})
    bench.says(SAME, '    "word": "_",\n    "line": "+",\n}\n', GOOD)
    outcome = bench.run()
    assert outcome.is_solved
    assert len(outcome.rounds) == 1
    assert outcome.place is not None
    assert outcome.place.function == "slug"


def test_the_last_try_is_the_table_s(bench: Bench) -> None:
    """Two functions did not do it; what they use was not looked at so far."""
    bench.lay_out({"text.py": TABLE + SHOUT})
    bench.says(BAD, OTHER, MENDED_TABLE)
    outcome = bench.run()
    assert outcome.is_solved
    assert [each.number for each in outcome.rounds] == [1, 2, 3]
    assert outcome.place is not None
    assert outcome.place.function == "SIGNS"


VALUES = {  # what the file has, what is answered, what is changed
    "a lambda": ('slug = lambda text: "_".join(text.split())\n', ' "-".join(text.lower().split())\n', "slug"),
    "a constant that the test names": ("LEAST = 2\n", " 3\n", "LEAST"),
    "a value of a class": ("class Rates:\n    MOST = 2\n", " 3\n", "MOST"),
    "a closure, by the name that it was given": (
        "def joined_by(sign):\n    def joined(text):\n        return sign.join(text.split())\n"
        '    return joined\n\n\nslug = joined_by("-")\n',
        "    def joined(text):\n        return sign.join(text.lower().split())\n    return joined\n",
        "joined_by",
    ),
    "what is wrong when it is read": ('SIGNS = {"a": MISSING}\n', ' {"a": "-"}\n', "SIGNS"),
}


@pytest.mark.parametrize("name", VALUES)
def test_what_is_no_function_is_mended_as_well(bench: Bench, name: str) -> None:
    """A wrong value of it has no line in any traceback but the test's own."""
    content, answer, changed = VALUES[name]
    test = {
        "slug": 'assert text.slug("A B") == "a-b"',
        "joined_by": 'assert text.slug("A B") == "a-b"',
        "LEAST": "assert text.LEAST == 3",
        "MOST": "assert text.Rates.MOST == 3",
        "SIGNS": "assert text.SIGNS",
    }[changed]
    tests = f"import traceback\n\n\ndef test_it():\n    import text\n    {test}\n{RUNNER}"
    bench.lay_out({"text.py": content + SHOUT, "test_text.py": tests})
    bench.says(answer)
    outcome = bench.run()
    assert outcome.is_solved, outcome
    assert outcome.place is not None
    assert outcome.place.function == changed
    assert len(bench.model.requests) == 1


# -- limits and stopping --------------------------------------------------------------------------


@pytest.mark.slow
def test_a_check_that_hangs_is_ended(bench: Bench) -> None:
    """At its limit, once: a second run would say no more. The function that hangs is found and mended."""
    bench.limits = CheckLimits(test_s=30.0)
    hangs = "    import time\n    while True: time.sleep(0.1)"
    faulty = (bench.project / "text.py").read_text()
    bench.lay_out({"text.py": faulty.replace("    words = text.split()", hangs), "test_text.py": TEST})
    outcome = bench.run(PYTEST)
    assert outcome.before.status is TestStatus.TIMED_OUT
    assert outcome.place is not None
    assert outcome.place.function == "slug"
    assert outcome.is_solved


@pytest.mark.slow
def test_pytest_itself_is_read(bench: Bench) -> None:
    """Its traceback leads to the function, and its counts are believed."""
    bench.lay_out({"test_text.py": TEST})
    outcome = bench.run(PYTEST)
    assert outcome.is_solved
    assert (outcome.before.passed, outcome.before.failed) == (2, 1)


def test_stop_ends_it_and_changes_nothing(bench: Bench) -> None:
    """Between two tries; what was done until then is told."""
    before = bench.tree()

    def stops() -> str:
        bench.running.stop()
        return BAD

    bench.says(stops)
    outcome = bench.run()
    assert outcome.ending is JobEnding.STOPPED
    assert bench.tree() == before
    assert bench.states[-1].stage is Stage.ENDED


def test_no_time_no_try(bench: Bench) -> None:
    """The minutes are over before the first try."""
    outcome = bench.run(minutes=0.0)
    assert outcome.ending is JobEnding.OUT_OF_TIME
    assert not bench.model.requests


def test_a_build_that_fails_is_no_pass(bench: Bench) -> None:
    """The check is not run where the build command fails."""
    compiles = f"{sys.executable} -m py_compile text.py"
    bench.lay_out(
        {"text.py": (bench.project / "text.py").read_text().replace('"_".join(words)', '"_".join(words')}
    )
    outcome = bench.run(build=compiles)
    assert outcome.before.status is TestStatus.NOT_BUILT
    assert outcome.is_solved


def test_every_step_is_shown(bench: Bench) -> None:
    """The state tells of iteration, build, test and improvement as they come."""
    bench.says(BAD, GOOD)
    bench.run()
    stages = [each.stage for each in bench.states]
    assert stages.index(Stage.CHECKING) < stages.index(Stage.WRITING)
    last = bench.states[-1]
    assert (last.iteration, len(last.done)) == (2, 2)
    latest = last.done[-1]
    assert (latest.number, latest.improvement) == (2, Improvement.REFINE)
    assert latest.build.tokens == 7
    assert latest.test.status is TestStatus.PASSED
