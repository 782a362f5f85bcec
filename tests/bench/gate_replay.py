"""Lines run for real under the confinement that their verdict orders, in a root that is thrown away.

The process that runs them has mounts, processes and network of its own: the whole disk is the lower layer of
an overlay, so that whatever a line changes anywhere lies in the upper one and is counted. The network is cut
but for the loopback. Needs the rights to mount (root, or user namespaces) and the confining client.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from desktop.database import Database
from desktop.gate import migrations
from desktop.gate.journal import Journal
from desktop.gate.policy import Confined
from desktop.gate.project_copies import ProjectCopies
from desktop.gate.undo import undo_changes
from desktop.paths import Paths
from desktop.sandbox.confiner import Confinement, Confiner, in_project, read_only, with_scratch

REPOSITORY = Path(__file__).resolve().parents[2]
PROFILE = Path("/home/replay/steward")
HOME = Path("/home/replay/me")
READ_ONLY_MOUNTS = (REPOSITORY, Path(sys.base_prefix))
FILES = {
    "README.md": "# A project\n",
    "package.json": '{"name": "x", "scripts": {"test": "echo test", "build": "echo x > built"}}\n',
    "Makefile": "test:\n\techo test\nbuild:\n\tmkdir -p out && echo x > out/x\n",
    "src/main.py": "print('hello')\n",
    "src/main.go": "package main\n\nfunc main() {}\n",
    ".env": "TOKEN=abc\n",
    "keep": "keep me\n",
    "notes.txt": "one\ntwo\n",
}


@dataclass(frozen=True)
class Task:
    """One line. `confined` as the decision says it."""

    command: str
    folder: str
    project: str
    confined: str
    uses_network: bool = False
    scratch: tuple[str, ...] = ()  # places in /tmp that it may make and change


@dataclass(frozen=True)
class Effect:
    """What a line did. `escaped` are paths beyond what it may write to, `changed` those in its project."""

    number: int
    exit_code: int | None  # None: ended by the time limit
    escaped: tuple[str, ...]
    changed: tuple[str, ...]
    not_undone: tuple[str, ...]


def replay(tasks: Sequence[Task], timeout_s: float) -> list[Effect]:
    """Run the lines one after another, each in a project of its own; raises CalledProcessError."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["unshare", "--mount", "--pid", "--net", "--fork", "--kill-child"]
        if os.geteuid():
            command += ["--map-root-user", "--user"]
        command += [sys.executable, "-m", "tests.bench.gate_replay", folder, str(timeout_s)]
        told = json.dumps([asdict(each) for each in tasks])
        done = subprocess.run(
            command, input=told, capture_output=True, text=True, cwd=REPOSITORY, check=False
        )
    if done.returncode:
        raise RuntimeError(f"the throw-away root could not be made: {done.stderr[-2000:]}")
    return [
        Effect(
            row["number"],
            row["exit_code"],
            *(tuple(row[name]) for name in ("escaped", "changed", "not_undone")),
        )
        for row in (json.loads(line) for line in done.stdout.splitlines() if line.startswith("{"))
    ]


# -- inside -----------------------------------------------------------------------------------------


def _mount(*words: str) -> None:
    subprocess.run(["mount", *words], check=True, capture_output=True)


def _enter(folder: Path) -> Path:
    """Make the whole disk the lower layer of a new root and go there; returns the upper layer's place."""
    _mount("-t", "tmpfs", "-o", "size=512m", "replay", str(folder))
    upper, work, root = (folder / name for name in ("upper", "work", "root"))
    for each in (upper, work, root):
        each.mkdir()
    _mount("-t", "overlay", "-o", f"lowerdir=/,upperdir={upper},workdir={work}", "replay", str(root))
    for each in READ_ONLY_MOUNTS:
        (root / each.relative_to("/")).mkdir(parents=True, exist_ok=True)
        _mount("--bind", str(each), str(root / each.relative_to("/")))
        _mount("-o", "remount,bind,ro", str(root / each.relative_to("/")))
    _mount("--rbind", "/dev", str(root / "dev"))
    _mount("-t", "proc", "proc", str(root / "proc"))
    seen = root / "replay-upper"
    seen.mkdir()
    _mount("--bind", str(upper), str(seen))
    _pivot(root)
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        subprocess.run(["ip", "link", "set", "lo", "up"], check=True, capture_output=True)
    return Path("/replay-upper")


def _pivot(root: Path) -> None:
    """Make `root` the root; `chroot` alone would keep the confining client from namespaces of its own."""
    libc = ctypes.CDLL(None, use_errno=True)
    old = root / "replay-old"
    old.mkdir()
    if libc.pivot_root(os.fsencode(root), os.fsencode(old)):
        raise OSError(ctypes.get_errno(), "pivot_root")
    os.chdir("/")
    subprocess.run(["umount", "--lazy", "/replay-old"], check=True, capture_output=True)
    os.rmdir("/replay-old")


def _changes(upper: Path) -> Iterator[tuple[str, os.stat_result]]:
    """Every path that the upper layer has, but for folders that only lead to one."""
    for folder, _folders, files in os.walk(upper):
        for name in files:
            path = os.path.join(folder, name)
            yield "/" + os.path.relpath(path, upper), os.lstat(path)


def _tree(root: Path) -> dict[str, tuple[int, bytes]]:
    found = {}
    for folder, folders, files in os.walk(root):
        for name in (*folders, *files):
            path = Path(folder, name)
            status = path.lstat()
            content = path.read_bytes() if stat.S_ISREG(status.st_mode) else b""
            found[str(path.relative_to(root))] = (status.st_mode, content)
    return found


class _Runner:
    def __init__(self, upper: Path, timeout_s: float) -> None:
        self._upper = upper
        self._timeout_s = timeout_s
        self._paths = Paths.under(PROFILE)
        self._confiner = Confiner(self._paths)
        database = Database(self._paths.database, migrations.MIGRATIONS)
        self._journal = Journal(database, self._paths.journal)
        self._copies = ProjectCopies(database, self._journal, self._paths.project_copies)
        self._known: dict[str, tuple[int, int]] = {}

    def run(self, number: int, task: Task) -> Effect:
        project, folder = Path(task.project), Path(task.folder)
        _make(project, folder)
        confinement = self._confinement(task)
        call = str(number)
        line = self._confiner.rewritten(task.command, confinement, call, "replay")
        before = _tree(project)
        self._copies.begin(project, call)
        self._look(lambda _path: True)
        code = self._execute(line, folder)
        allowed = (*map(str, (*confinement.writable, *confinement.scratch)), str(PROFILE), str(project))
        escaped = tuple(self._look(lambda path: not path.startswith(allowed)))
        after = _tree(project) if project.is_dir() else {}
        changed = tuple(path for path in {**before, **after} if before.get(path) != after.get(path))
        entries = self._copies.settle(call)
        with contextlib.suppress(Exception):  # what could not be undone is counted just below
            undo_changes(self._journal, entries)
        undone = _tree(project) if project.is_dir() else {}
        lost = tuple(path for path in before if path not in undone or undone[path] != before[path])
        shutil.rmtree(project, ignore_errors=True)
        self._look(lambda _path: True)
        return Effect(number, code, escaped, changed, lost)

    def _confinement(self, task: Task) -> Confinement:
        if task.confined == Confined.PROJECT:
            return with_scratch(in_project(self._paths, Path(task.project)), task.scratch)
        return read_only(self._paths, task.uses_network)

    def _execute(self, line: str, folder: Path) -> int | None:
        environment = {"HOME": str(HOME), "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "USER": "me"}
        process = subprocess.Popen(
            ["/bin/bash", "-c", line],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            return process.wait(self._timeout_s)
        except subprocess.TimeoutExpired:
            return None
        finally:
            _end_all()
            process.wait()

    def _look(self, counts: Callable[[str], bool]) -> list[str]:
        """The paths that have changed since the last look, of those that count."""
        now = {path: (status.st_ino, status.st_ctime_ns) for path, status in _changes(self._upper)}
        news = [path for path, stamp in now.items() if self._known.get(path) != stamp and counts(path)]
        gone = [path for path in self._known if path not in now and counts(path)]
        self._known = now
        return sorted(news + gone)


def _make(project: Path, folder: Path) -> None:
    shutil.rmtree(project, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in FILES.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text)
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run([*git, *words], cwd=project, check=True, capture_output=True)


def _end_all() -> None:
    """End every process of this namespace but our own; it has none that anybody else started."""
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) > 2 and int(name) != os.getpid():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(int(name), signal.SIGKILL)


def main() -> None:
    """Inside the new namespaces: tasks on stdin, one effect a line on stdout."""
    tasks = [Task(**row) for row in json.load(sys.stdin)]
    upper = _enter(Path(sys.argv[1]))
    HOME.mkdir(parents=True)
    os.environ["HOME"] = str(HOME)
    runner = _Runner(upper, float(sys.argv[2]))
    for number, task in enumerate(tasks):
        sys.stdout.write(json.dumps(asdict(runner.run(number, task))) + "\n")
        sys.stdout.flush()
    os._exit(0)  # the database's thread would wait for a close that nobody needs


def summary(tasks: Sequence[Task], effects: Sequence[Effect]) -> dict[str, Any]:
    """The counts, and the lines behind those that should be none."""
    bad = [each for each in effects if each.escaped or each.not_undone]
    return {
        "lines_run": len(effects),
        "ended_by_time_limit": sum(each.exit_code is None for each in effects),
        "exit_codes": dict(Counter(str(each.exit_code) for each in effects).most_common(6)),
        "changed_their_project": sum(bool(each.changed) for each in effects),
        "changed_beyond_it": sum(bool(each.escaped) for each in effects),
        "not_undone": sum(bool(each.not_undone) for each in effects),
        "examples": [
            {
                "command": tasks[each.number].command[:200],
                "escaped": each.escaped[:4],
                "not_undone": each.not_undone[:4],
            }
            for each in bad[:20]
        ],
    }


if __name__ == "__main__":
    main()
