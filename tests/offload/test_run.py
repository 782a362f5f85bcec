"""A command on a worker is, to whoever started it, the command here."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from desktop.network.log import RequestRecord
from desktop.offload.dispatch import Dispatcher
from desktop.offload.history import History
from desktop.settings import OffloadSettings
from tests.offload.conftest import Workplace
from tests.offload.loopback_worker import LoopbackWorker

HELLO = {
    "Makefile": "all: hello\nhello: hello.c\n\tcc -o hello hello.c\n\t@echo told >&2\n",
    "hello.c": '#include <stdio.h>\nint main(void) { puts("hello"); return 0; }\n',
}


def test_a_build_runs_there_and_is_fresh_here(workplace: Workplace) -> None:
    """Exit code, streams and artefacts are those of a local build, which then has nothing to do."""
    workplace.write(HELLO)
    done = workplace.run("make")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"cc -o hello hello.c\n", b"told\n")
    assert (workplace.last.worker, workplace.last.code) == ("tower", 0)
    assert subprocess.run((workplace.project / "hello",), capture_output=True).stdout == b"hello\n"
    again = subprocess.run(("make",), cwd=workplace.project, capture_output=True)
    assert again.stdout == b"make: Nothing to be done for 'all'.\n"


def test_what_was_cleaned_here_is_built_again(workplace: Workplace) -> None:
    """An artefact that is gone here is no reason for the worker to do nothing."""
    workplace.write(HELLO)
    workplace.run("make")
    (workplace.project / "hello").unlink()
    assert workplace.run("make").stdout == b"cc -o hello hello.c\n"
    assert (workplace.project / "hello").is_file()


def test_a_folder_that_was_cleaned_here_is_built_again(workplace: Workplace) -> None:
    """With all that is in it, on the worker too: `cargo clean` and `rm -rf build` remove whole folders."""
    built = (
        "all: out/a/one\nout/a/one:\n\t@mkdir -p out/a; echo built; echo 1 >out/a/one; echo 2 >out/a/two\n"
    )
    workplace.write({"Makefile": built})
    for _ in range(2):
        done = workplace.run("make")
        assert (done.stdout, done.stderr, workplace.last.worker) == (b"built\n", b"", "tower")
        assert (workplace.project / "out" / "a" / "two").read_text() == "2\n"
        shutil.rmtree(workplace.project / "out")


def test_what_was_sent_by_hand_is_told_to_whoever_keeps_account(workplace: Workplace) -> None:
    """Nobody but the history tells the program with the Network page that somebody typed the line."""
    told: list[RequestRecord] = []
    dispatcher = Dispatcher(workplace.paths, OffloadSettings, told.append)
    workplace.write(HELLO)
    workplace.run("make")
    dispatcher.catch_up()
    dispatcher.catch_up()
    assert [(each.method, each.host, each.outcome) for each in told] == [
        ("SEND", "tower", "sent"),
        ("FETCH", "tower", "fetched"),
    ]
    assert told[0].path == str(workplace.project)
    assert str(told[0].why).startswith("2 files, ")
    assert told[1].received_bytes > 0


def test_an_edit_within_the_same_second_is_sent(workplace: Workplace) -> None:
    """Two versions of one size and one second are two versions."""
    workplace.write({"Makefile": "all:\n\t@cat word\n", "word": "one"})
    assert workplace.run("make").stdout == b"one"
    stamp = (workplace.project / "word").stat()
    workplace.write({"word": "two"})
    os.utime(workplace.project / "word", ns=(stamp.st_atime_ns, stamp.st_mtime_ns + 1000))
    assert workplace.run("make").stdout == b"two"


def test_a_file_that_was_removed_here_is_gone_there(workplace: Workplace) -> None:
    """What is not here any more cannot be seen by a build."""
    workplace.write({"Makefile": "all:\n\t@ls *.txt\n", "a.txt": "", "b.txt": ""})
    assert workplace.run("make").stdout == b"a.txt\nb.txt\n"
    (workplace.project / "b.txt").unlink()
    assert workplace.run("make").stdout == b"a.txt\n"


def test_the_command_sees_its_own_path_and_no_network(workplace: Workplace) -> None:
    """The project lies where it lies here; nothing else of this computer or of the worker's home is there."""
    (workplace.worker.home / "private").write_text("theirs")
    workplace.write({"Makefile": "all:\n\t@pwd; ls -A $$HOME; grep -c : /proc/net/dev\n"})
    lines = workplace.run("make").stdout.decode().splitlines()
    assert lines[0] == str(workplace.project)
    assert "private" not in lines
    assert lines[-1] == "1"  # the loopback alone


# A make of a table of one's own: with the network, and with settings in the home folder.
OWN_MAKE = """[programs.make]
build = "''"
targets = "operands"
identity = ["make --version"]
ignored = "all"
network = true
settings = [".makerc"]
"""


def test_the_network_is_there_for_what_the_table_says(workplace: Workplace) -> None:
    """What finds out only at work what it has to download reaches it; everything else does not."""
    port = workplace.worker.port
    workplace.write({"Makefile": f"all:\n\t@bash -c ': </dev/tcp/127.0.0.1/{port}' && echo reached\n"})
    assert workplace.run("make").stdout == b""
    workplace.paths.offload_programs.write_text(OWN_MAKE)
    assert workplace.run("make").stdout == b"reached\n"
    assert workplace.last.worker == "tower"


def test_what_is_confined_here_gets_no_network_there(workplace: Workplace) -> None:
    """A worker is no way around the box that the command has here."""
    workplace.paths.offload_programs.write_text(OWN_MAKE)
    workplace.write({"Makefile": "all:\n\t@echo there\n"})
    *head, dashes, _command = workplace.words("make")
    words = [*head, "--here", "echo confined", dashes, "make"]
    done = subprocess.run(words, cwd=workplace.project, env=workplace.environment, capture_output=True)
    assert (done.returncode, done.stdout) == (0, b"confined\n")
    assert b"this command is confined here" in done.stderr
    assert workplace.last.worker == ""


def test_what_has_settings_of_the_users_runs_here(workplace: Workplace, tmp_path: Path) -> None:
    """They are not sent, and without them it would be another command; `why` says the same."""
    workplace.paths.offload_programs.write_text(OWN_MAKE)
    workplace.write({"Makefile": "all:\n\t@echo made\n"})
    workplace.extra = {"HOME": str(tmp_path)}
    (tmp_path / ".makerc").touch()
    done = workplace.run("make")
    assert done.stdout == b"made\n"
    assert done.stderr == b"steward: runs here: ~/.makerc is not sent, and make does what it says.\n"
    assert workplace.last.worker == ""


def test_the_users_home_is_the_same_by_number_and_by_name(workplace: Workplace) -> None:
    """Java asks the system for it, and not the environment."""
    workplace.write({"Makefile": "all:\n\t@getent passwd $$(id -u) | cut -d: -f1,6; echo $$USER:$$HOME\n"})
    by_number, by_name = workplace.run("make").stdout.decode().splitlines()
    assert by_number == by_name == f"steward:{Path.home()}"


def test_an_edit_while_it_runs_is_kept(workplace: Workplace) -> None:
    """What somebody wrote here meanwhile is never written over by what comes back."""
    workplace.write({"Makefile": "all:\n\t@echo there >word; echo begun; sleep 2\n", "word": "here\n"})
    process = workplace.start("make")
    assert process.stdout is not None
    assert process.stdout.readline() == b"begun\n"
    workplace.write({"word": "edited\n"})
    process.communicate()
    assert process.returncode == 0
    assert (workplace.project / "word").read_text() == "edited\n"


def test_an_interrupt_reaches_the_worker(workplace: Workplace) -> None:
    """Ctrl+C ends the command there, which may still say something, and the client dies as it would have."""
    sleeps = f"sleep 86413.{os.getpid()}"  # nobody else's
    workplace.write({"Makefile": f"all:\n\t@trap 'echo caught; exit 3' INT; echo begun; {sleeps} & wait\n"})
    process = workplace.start("make")
    assert process.stdout is not None
    assert process.stdout.readline() == b"begun\n"
    os.kill(process.pid, signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert b"caught" in out
    assert process.returncode != 0
    assert _ends(lambda: not _runs(sleeps))


def test_an_interrupt_before_the_beginning_was_heard_reaches_the_worker(
    workplace: Workplace, tower: LoopbackWorker, tmp_path: Path
) -> None:
    """The command may run while the word of that is on its way: it is not cut off as if it never began."""
    _hold_the_box(tower, tmp_path)
    workplace.write({"Makefile": "all:\n\t@trap 'echo caught; exit 3' INT; echo begun; sleep 60 & wait\n"})
    process = workplace.start("make")
    assert process.stdout is not None
    assert _ends((tmp_path / "making").exists, 30)
    os.kill(process.pid, signal.SIGSTOP)
    (tmp_path / "go").touch()
    assert process.stdout.readline() == b"begun\n"
    os.kill(process.pid, signal.SIGINT)
    os.kill(process.pid, signal.SIGCONT)
    assert b"caught" in process.communicate(timeout=60)[0]
    assert process.returncode != 0


def test_an_interrupt_while_its_box_is_made_is_not_lost(
    workplace: Workplace, tower: LoopbackWorker, tmp_path: Path
) -> None:
    """It ends what was given up, which comes to no end there and is not begun here."""
    _hold_the_box(tower, tmp_path)
    workplace.write({"Makefile": "all:\n\t@sleep 2; touch made\n"})
    process = workplace.start("make")
    assert _ends((tmp_path / "making").exists, 30)
    os.kill(process.pid, signal.SIGINT)
    (tmp_path / "go").touch()
    process.communicate(timeout=60)
    # Beside other work the box may be made before the word of it arrives: then make says that it was stopped.
    assert process.returncode in (-signal.SIGINT, 2)
    assert not (workplace.project / "made").exists()


def test_without_a_worker_it_runs_here(own_worker: Workplace) -> None:
    """A worker that cannot be reached costs a line on standard error and nothing else."""
    workplace = own_worker
    workplace.write(HELLO)
    workplace.worker.kill()
    done = workplace.run("make")
    assert (done.returncode, done.stdout) == (0, b"cc -o hello hello.c\n")
    assert done.stderr.startswith(b"steward: runs here: tower cannot be reached")
    assert done.stderr.endswith(b"told\n")
    (job,) = History(workplace.paths).jobs()
    assert (job.worker, job.is_over) == ("", True)


def test_switched_off_it_runs_here(workplace: Workplace) -> None:
    """Off is off, also for whoever types the line."""
    workplace.write(HELLO)
    workplace.settings(enabled=False)
    assert workplace.run("make").returncode == 0
    assert not workplace.worker.base.exists()


def _hold_the_box(tower: LoopbackWorker, folder: Path) -> None:
    """The command's box says that it is about to be made, and is made once `go` is there."""
    waits = f"touch {folder}/making; until [ -e {folder}/go ]; do sleep 0.02; done"
    tower.shim("bwrap", f'case "$*" in *--info-fd*) {waits} ;; esac; exec $REAL "$@"')


def _runs(words: str) -> bool:
    return subprocess.run(("pgrep", "-f", words), capture_output=True).returncode == 0


def _ends(is_so: Callable[[], object], seconds: int = 10) -> bool:
    for _ in range(20 * seconds):
        if is_so():
            return True
        time.sleep(0.05)
    return False
