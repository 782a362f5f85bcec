"""Checks, files and accidents that are no help: what they do to the copy never comes out of it."""

from __future__ import annotations

import contextlib
import hashlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from desktop.builder.check import LONGEST_LINE, CheckLimits, places
from desktop.builder.job import JobEnding, TestStatus
from desktop.builder.project_copy import UNCLAIMED_S, ProjectCopy
from desktop.builder.proposals import Proposals
from desktop.builder.reasons import BuilderReason
from desktop.database import Database
from desktop.errors import UserFacing
from desktop.gate.journal import Journal
from desktop.gate.migrations import MIGRATIONS
from tests.builder.conftest import BAD, CHECK, FAULTY, GOOD, RUNNER, TEST, Bench
from tests.sandbox.swapping import swapping

pytestmark = pytest.mark.children

MENDED = FAULTY.replace('    words = text.split()\n    return "_".join(words)\n', GOOD)
WRITES_OVER = {
    "the test is written over": "printf '' > test_text.py; ",
    "another takes its place": "mv test_text.py t.py; printf '' > test_text.py; ",
    "the test is taken away": "rm -f test_text.py; touch test_text.py; ",
}


@pytest.mark.parametrize("name", WRITES_OVER)
def test_a_check_that_changes_tests_proves_nothing(bench: Bench, name: str) -> None:
    """The tests are those of the project, whatever the check does to them first."""
    before = bench.tree()
    bench.says(BAD)
    assert not bench.run(WRITES_OVER[name] + CHECK).passes
    assert bench.tree() == before


REWRITES = {
    "before it runs": f"cp better.py text.py; {CHECK}",
    "where it fails": f"{CHECK} || (cp better.py text.py && exit 1)",
    "each time a little": f"echo '# seen' >> text.py; {CHECK}",
}


@pytest.mark.parametrize("name", REWRITES)
def test_a_check_that_writes_to_its_file_is_refused(bench: Bench, name: str) -> None:
    """Its passing would say nothing of what is proposed; no model is asked."""
    bench.lay_out({"better.py": MENDED})
    with pytest.raises(UserFacing) as refused:
        bench.run(REWRITES[name])
    assert refused.value.reason.code is BuilderReason.CHECK_REWRITES
    assert not bench.model.requests


def test_a_function_that_writes_to_its_own_file_is_no_pass(bench: Bench) -> None:
    """The check ends with 0, and not for what stands in the file."""
    bench.says(
        "    import pathlib, sys\n"
        f"    pathlib.Path('text.py').write_text({MENDED!r})\n"
        "    return '-'.join(text.lower().split())\n"
    )
    outcome = bench.run(rounds=1)
    assert [each.test.status for each in outcome.rounds] == [TestStatus.CHEATED]
    assert outcome.proposal is None


SETTINGS = ("sitecustomize.py", "conftest.py", "text/__init__.py")


@pytest.mark.parametrize("file", SETTINGS)
def test_what_a_try_leaves_behind_is_not_there_for_the_next(bench: Bench, file: str) -> None:
    """A file that would decide how the next run of the check goes."""
    bench.says(
        "    import os\n"
        f"    os.makedirs(os.path.dirname({file!r}) or '.', exist_ok=True)\n"
        f"    open({file!r}, 'w').write('import os; getattr(os, \"_ex\" + \"it\")(0)')\n"
        "    return text.title()\n",
        BAD,
    )
    outcome = bench.run()
    assert [each.test.status for each in outcome.rounds[:2]] == [TestStatus.FAILED, TestStatus.FAILED]
    assert not outcome.is_solved


def test_what_a_check_leaves_running_is_ended(bench: Bench) -> None:
    """Also what took itself out of its session."""
    mark = "86399.125"
    bench.run(f"(setsid sleep {mark} &); {CHECK}")
    running = (each.info["cmdline"] or () for each in psutil.process_iter(["cmdline"]))
    assert not [words for words in running if mark in words]


def test_a_check_that_fills_the_disk_is_ended(bench: Bench) -> None:
    """By what all its files take together, whatever each of them does. It is said, and nothing stays."""
    bench.limits = CheckLimits(disk_bytes=50_000_000)
    fills = "(i=0; while true; do i=$((i+1)); head -c 1000000 /dev/zero > f$i; done)"
    outcome = bench.run(f"{CHECK} || {fills}", rounds=1)
    assert outcome.before.status is TestStatus.CUT_OFF
    assert outcome.before.output.endswith("[ended: it fills the disk]")
    assert outcome.is_solved
    assert not [each for each in (bench.paths.cache / "builder").iterdir() if each.is_dir()]


@pytest.mark.slow
def test_a_check_that_prints_without_an_end_is_ended(bench: Bench) -> None:
    """And what it said until then is read, first failure and all."""
    outcome = bench.run(f"{CHECK} || yes 'text.py:1: no end of words'")
    assert outcome.before.status is TestStatus.CUT_OFF
    assert "prints without an end" in outcome.before.output
    assert outcome.is_solved


@pytest.mark.parametrize("sign", ["x", "/", ".", "a.", "_", " ", "=", "error: "])
def test_a_line_without_an_end_is_read_at_once(bench: Bench, sign: str) -> None:
    """No pattern takes longer than the line is long: 200,000 signs of one kind come to their end."""
    outcome = bench.run(f'{sys.executable} -c "print({sign!r} * (200_000 // {len(sign)})); 1 / 0"')
    assert not outcome.passes
    assert max(map(len, outcome.before.output.splitlines())) <= LONGEST_LINE + len(" … ")
    assert places(sign * 200_000, bench.project) == ()


FILES = {
    "ends of lines of Windows": FAULTY.replace("\n", "\r\n").encode(),
    "Latin-1, as it says": ("# -*- coding: latin-1 -*-\n# Größe\n" + FAULTY).encode("latin-1"),
    "a mark of the order of bytes": b"\xef\xbb\xbf" + FAULTY.encode(),
    "tabs": FAULTY.replace("    ", "\t").encode(),
    "no end of the last line": FAULTY.rstrip().encode(),
    "form feeds": FAULTY.replace("\n\n\ndef", "\n\x0c\ndef").encode(),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_comes_back_as_it_was_but_for_one_function(bench: Bench, name: str) -> None:
    """Byte by byte, with its ends of lines, its indentation and its letters."""
    old = FILES[name]
    (bench.project / "text.py").write_bytes(old)
    outcome = bench.run()
    assert outcome.proposal is not None
    new = outcome.proposal.content.encode(outcome.proposal.encoding)
    assert outcome.proposal.before_sha256 == hashlib.sha256(old).hexdigest()
    begins, ends = old.index(b"    words" if b"    words" in old else b"\twords"), old.index(b"words)") + 6
    assert new.startswith(old[:begins])
    assert new.endswith(old[ends:])
    assert b"\t" in new[begins : begins + 1] or name != "tabs"


def test_letters_that_the_file_cannot_have_are_no_try(bench: Bench) -> None:
    """What could not be written as the file is written is never put into it."""
    (bench.project / "text.py").write_bytes(FILES["Latin-1, as it says"])
    bench.says('    return "→"\n', GOOD)
    assert bench.run().is_solved


def test_no_text_is_refused(bench: Bench) -> None:
    """Whatever its name says."""
    (bench.project / "text.py").write_bytes(FAULTY.encode("utf-16"))
    with pytest.raises(UserFacing) as refused:
        bench.run()
    assert refused.value.reason.code is BuilderReason.NO_TEXT


KEPT = "def keep(*_all, **_more):\n    return lambda made: made\n\n\n"
SHAPES = {  # a file with `slug` in it, and what the model answers after the head of its function
    "a decorator of several lines": (
        KEPT
        + "@keep(\n    (1, 2),\n    by=[3],\n)\n@keep()\ndef slug(\n    text,\n):\n"
        + "    return '_'.join(text.split())\n",
        GOOD,
    ),
    "a closure": (
        "def make():\n    def inner(text):\n        return '-'.joined(text.lower().split())\n\n"
        "    return inner\n\n\nslug = make()\n",
        "    def inner(text):\n        return '-'.join(text.lower().split())\n\n    return inner\n",
    ),
    "a method of a nested class": (
        "class Outer:\n    class Inner:\n        @staticmethod\n        def slug(text):\n"
        "            return '_'.join(text.split())\n\n\nslug = Outer.Inner.slug\n",
        GOOD,
    ),
    "a string at the left of a method": (
        "class Texts:\n    @classmethod\n    def slug(cls, text):\n        sign = '''\n_\n'''.strip()\n"
        "        return sign.join(text.lower().split())\n\n\nslug = Texts.slug\n",
        "    sign = '''\n_\n'''.strip().replace('_', '-')\n    return sign.join(text.lower().split())\n",
    ),
    "tabs, answered with blanks": (
        "def slug(text):\n\tif text:\n\t\treturn '_'.join(text.split())\n\treturn text\n",
        "    if text:\n        return '-'.join(text.lower().split())\n    return text\n",
    ),
    "two blanks, answered with four": (
        "def slug(text):\n  if text:\n    return '_'.join(text.split())\n  return text\n",
        "    if text:\n        return '-'.join(text.lower().split())\n    return text\n",
    ),
    "defined twice": (
        "def slug(text):\n    return text\n\n\ndef slug(text):\n    return '_'.join(text.split())\n",
        GOOD,
    ),
}


@pytest.mark.parametrize("name", SHAPES)
def test_a_function_of_any_shape_is_put_back_in_its_place(bench: Bench, name: str) -> None:
    """With its decorators, as far to the right as it stood, in the indentation of its file."""
    content, answer = SHAPES[name]
    content += "\n\ndef shout(text):\n    return text.upper()\n"
    bench.lay_out({"text.py": content})
    bench.says(answer)
    outcome = bench.run()
    assert outcome.is_solved, outcome.rounds
    assert outcome.proposal is not None
    changed = [line for line in outcome.proposal.diff.splitlines()[3:] if line.startswith(("-", "+"))]
    # One line out and one in: whatever else the function has stays as it was.
    assert [line[0] for line in changed] == ["-", "+"], changed


def test_what_was_killed_is_tidied_up_by_the_next(bench: Bench) -> None:
    """Its copy goes with the next job, its processes at once, and the user's files are as they were."""
    before = bench.tree()
    mark = "86398.125"
    code = (
        "import pathlib, sys\n"
        "from desktop.builder.builder import Builder, BuilderParts\n"
        "from desktop.builder.job import CheckJob\n"
        "from desktop.paths import Paths\n"
        "from desktop.sandbox.confiner import Confiner\n"
        "from desktop.tools.tool import Running\n"
        "paths = Paths.under(pathlib.Path(sys.argv[1]))\n"
        "job = CheckJob(sys.argv[3], pathlib.Path(sys.argv[2]), ('text.py',))\n"
        "Builder(BuilderParts(None, Confiner(paths), paths)).run(job, Running('call'))\n"
    )
    profile = bench.paths.cache.parent
    words = [sys.executable, "-c", code, str(profile), str(bench.project), f"sleep {mark}"]
    copies = bench.paths.cache / "builder"
    with subprocess.Popen(words, cwd=Path(__file__).parents[2]) as job:
        while not asleep(mark):
            assert job.poll() is None
            time.sleep(0.05)
        os.kill(job.pid, signal.SIGKILL)
    left = list(copies.iterdir())
    assert left
    while asleep(mark):
        time.sleep(0.05)
    assert bench.run().is_solved
    assert not [each for each in left if each.exists()]
    assert bench.tree() == before


def asleep(mark: str) -> bool:
    running = (each.info["cmdline"] or () for each in psutil.process_iter(["cmdline"]))
    return any(words[:1] == ["sleep"] and mark in words for words in running)


def test_a_copy_at_work_is_left_alone(bench: Bench) -> None:
    """Two jobs at once: neither removes what the other works in, however old it is."""
    place = bench.paths.cache / "builder"
    with ProjectCopy(bench.project, place) as one:
        old = time.time() - 2 * UNCLAIMED_S
        os.utime(one.folder.parent, (old, old))
        with ProjectCopy(bench.project, place) as other:
            assert one.folder.is_dir()
            assert other.folder != one.folder
        assert one.read("text.py") == FAULTY


def test_of_two_proposals_for_one_file_the_first_is_written(bench: Bench, tmp_path: Path) -> None:
    """The other one was made for a file that is not there any more, and says so."""
    database = Database(tmp_path / "gate.sqlite3", MIGRATIONS)
    proposals = Proposals(tmp_path / "proposals", Journal(database, tmp_path / "kept"), str)
    for call, answer in (("one", GOOD), ("other", f"{GOOD}    # other\n")):
        bench.says(answer)
        proposals.keep(call, bench.run())
    proposals.apply("one")
    after = bench.tree()
    with pytest.raises(UserFacing) as refused:
        proposals.apply("other")
    database.close()
    assert refused.value.reason.code is BuilderReason.CHANGED_MEANWHILE
    assert bench.tree() == after


def test_a_link_in_the_place_of_the_file_is_not_followed(bench: Bench, tmp_path: Path) -> None:
    """Put there between the proposal and Apply."""
    database = Database(tmp_path / "gate.sqlite3", MIGRATIONS)
    proposals = Proposals(tmp_path / "proposals", Journal(database, tmp_path / "kept"), str)
    proposals.keep("call", bench.run())
    elsewhere = tmp_path / "elsewhere.py"
    elsewhere.write_text(FAULTY)
    (bench.project / "text.py").unlink()
    (bench.project / "text.py").symlink_to(elsewhere)
    with pytest.raises(UserFacing):
        proposals.apply("call")
    database.close()
    assert elsewhere.read_text() == FAULTY


@pytest.mark.skipif(sys.platform != "linux", reason="two names are swapped in one step there")
def test_nothing_outside_is_copied_while_links_are_swapped_in(bench: Bench, tmp_path: Path) -> None:
    """What is in the copy comes into the model's sight."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "key.py").write_text("outside = 1\n")
    bench.lay_out({"src/key.py": "inside = 1\n"})
    link = tmp_path / "link"
    link.symlink_to(outside)
    came = left_out = 0
    with swapping((bench.project / "src", link)):
        while came + left_out < 300 or min(came, left_out) < 1:
            try:
                with ProjectCopy(bench.project, tmp_path / "copies") as copy:
                    content = copy.content("src/key.py")
            except UserFacing:
                content = None
            assert content in (None, b"inside = 1\n")
            came, left_out = came + (content is not None), left_out + (content is None)


COUNTED = "n=$(cat {place}/n || echo 0); echo $((n+1)) > {place}/n; {check} || [ $n -ge 2 ]"
PLACES = {"its folder for what passes": "$TMPDIR", "a folder of what is built": "target"}


@pytest.mark.parametrize("name", PLACES)
def test_a_check_that_counts_its_runs_proves_nothing(bench: Bench, name: str) -> None:
    """It passes from the third run on, whatever the function is: with the user's own as well."""
    bench.says(BAD)
    outcome = bench.run("mkdir -p target; " + COUNTED.format(place=PLACES[name], check=CHECK))
    assert outcome.ending is JobEnding.FLAKY
    assert outcome.says.code is BuilderReason.PASSES_BY_CHANCE
    assert outcome.proposal is None


LEFT = {
    "folders in folders, too deep for a path": (
        "import os\nfor _ in range(1500):\n    os.mkdir('deep'); os.chdir('deep')\n"
    ),
    "a folder that is closed": "import os\nos.makedirs('closed/in'); os.chmod('closed', 0)\n",
    "names that are no text": "open(b'\\xff\\xfe', 'w'); open('a\\nb', 'w'); open('-rf', 'w')\n",
    "a link to a folder": "import os\nos.symlink('/', 'text')\n",
    "an empty package of the same name": "import os\nos.mkdir('text')\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LEFT)
def test_what_is_left_behind_is_gone(bench: Bench, name: str) -> None:
    """Before the next run and in the end: nothing is found of it again, and the job comes to its end."""
    bench.lay_out({"leave.py": LEFT[name]})
    before = bench.tree()
    looks = f"{sys.executable} -S -c \"import os; print('seen', len(os.listdir('.')))\"; "
    check = f"{looks}{CHECK}; ended=$?; {sys.executable} -S leave.py; exit $ended"
    bench.says(BAD, GOOD)
    outcome = bench.run(check)
    # The watch of the disk may have seen the deep one and ended it, in both runs or in one: then it says so.
    is_said = outcome.before.status is TestStatus.CUT_OFF or outcome.ending is JobEnding.FLAKY
    assert outcome.is_solved or is_said
    outputs = [outcome.before.output, *(each.test.output for each in outcome.rounds)]
    assert {line for text in outputs for line in text.splitlines() if line.startswith("seen")} == {"seen 3"}
    assert not [each for each in (bench.paths.cache / "builder").iterdir() if each.is_dir()]
    assert bench.tree() == before


ENDINGS = {
    "its own shell": "kill -9 $$; true",
    "whoever started it": f"kill -9 $PPID; {CHECK}",
    "everything": f"kill -9 -1; {CHECK}",
    "no output any more": f"exec >&- 2>&-; {CHECK}",
    "words of success, and nothing behind them": "echo '3 passed in 0.01s'; exit 1",
    "an ending in the background": f"({CHECK}; true) & exit 1",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ENDINGS)
def test_however_a_check_ends_it_is_no_pass(bench: Bench, name: str) -> None:
    """With a function that is wrong."""
    bench.says(BAD)
    outcome = bench.run(ENDINGS[name], rounds=1)
    assert outcome.before.status is not TestStatus.PASSED
    assert not outcome.passes


DEEP = {
    "signs": "X = " + "-" * 100_000 + "1\n",
    "brackets": "X = " + "(" * 100_000 + "\n",
    "dots": "def test_slug():\n    assert slug(a" + ".a" * 500 + ")\n",
    "conditions": "".join(f"{' ' * n}if a:\n" for n in range(95)) + " " * 95 + "slug()\n",
    "one after another": "if a:\n    pass\n" + "elif a:\n    pass\n" * 700,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", DEEP)
def test_a_test_that_python_cannot_read_ends_nothing(bench: Bench, name: str) -> None:
    """It is read for what it says of the function; where that is too deep, without."""
    bench.lay_out({"test_more.py": DEEP[name]})
    assert bench.run(f": test_more.py; {CHECK}").is_solved
    bench.lay_out({"text.py": FAULTY + DEEP[name]})
    bench.run()


NAMES = ("-text.py", "my text.py", "tëxt.py", "te'xt.py", "a;b.py")


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_file_may_have_any_name(bench: Bench, tmp_path: Path, name: str) -> None:
    """Of which none is an option, several words or a command; it is written under its name."""
    (bench.project / "text.py").rename(bench.project / name)
    runner = f"import importlib\nm = importlib.import_module({name[:-3]!r})\nslug, shout = m.slug, m.shout\n"
    bench.lay_out({"test_text.py": runner + TEST.replace("from text import shout, slug\n", "") + RUNNER})
    database = Database(tmp_path / "gate.sqlite3", MIGRATIONS)
    proposals = Proposals(tmp_path / "proposals", Journal(database, tmp_path / "kept"), str)
    proposals.keep("call", bench.run(CHECK, name))
    proposals.apply("call")
    database.close()
    assert '"-".join' in (bench.project / name).read_text()


# What a check leaves in its copy, where Steward then puts things right: a link in the place of a file, or of
# the folder above it. `{victim}` is a folder of the user's.
LINKS = {
    "another file": "rm sub/other.py; ln -s {victim}/other.py sub/other.py; ",
    "its folder": "rm -r sub; ln -s {victim} sub; ",
    "the function's file": "rm text.py; ln -s {victim}/text.py text.py; ",
    "a folder above all": "rm -r sub; mkdir x; ln -s {victim} sub; mv x y; ",
    "a pipe": "rm sub/other.py; mkfifo sub/other.py; ",
    "a folder for a file": "rm sub/other.py; mkdir -p sub/other.py/below; ",
}


@pytest.mark.parametrize("name", LINKS)
def test_what_a_check_leaves_behind_leads_nowhere(bench: Bench, tmp_path: Path, name: str) -> None:
    """Files outside of the copy are neither written nor removed when it is put right for the next run."""
    victim = tmp_path / "victim"
    victim.mkdir()
    for each in ("other.py", "text.py"):
        (victim / each).write_text("mine\n")
    bench.lay_out({"sub/other.py": "x = 1\n"})
    with contextlib.suppress(UserFacing):  # a check that writes to its own file is refused
        bench.run(LINKS[name].format(victim=victim) + CHECK)
    assert {each.name: each.read_text() for each in victim.iterdir()} == {
        "other.py": "mine\n",
        "text.py": "mine\n",
    }


def test_a_folder_that_became_a_link_is_not_copied(tmp_path: Path) -> None:
    """Git still names its files; what they are now lies elsewhere."""
    project, elsewhere = tmp_path / "project", tmp_path / "elsewhere"
    (project / "sub").mkdir(parents=True)
    elsewhere.mkdir()
    (project / "sub" / "file.txt").write_text("ours")
    (project / "text.py").write_text(FAULTY)
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    subprocess.run(["git", "-C", str(project), "add", "-A"], check=True)
    (elsewhere / "file.txt").write_text("a secret")
    (project / "sub" / "file.txt").unlink()
    (project / "sub").rmdir()
    (project / "sub").symlink_to(elsewhere)
    with ProjectCopy(project, tmp_path / "copies") as copy:
        assert copy.files == ("text.py",)
