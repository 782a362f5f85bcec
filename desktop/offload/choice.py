"""Which worker takes a command: the same toolchain, least load for each core, a warm mirror first."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from desktop.offload.programs import Program
from desktop.offload.reasons import OffloadReason
from desktop.offload.session import launch_words, values
from desktop.offload.ssh import SshConnection, Unreachable
from desktop.offload.workers import SeenFile, Worker, WorkerReport, mirror_key
from desktop.paths import Paths, resources, write_atomically
from desktop.reasons import Reason
from desktop.state_file import fits, read_object

PROBE_S = 20.0
IDENTITY_S = 10.0
FORGOTTEN_S = 600.0  # a toolchain can be renewed behind a front that stays the same (rustup)
ABSENT = ""  # in place of a hash; a worker says nothing of what it does not have
ASKED_AT_ONCE = 16  # each is a thread and an ssh; hundreds at once held up the window for seconds
WARM_IS_WORTH = 0.5  # load per core that a mirror which is there already makes up for


def here(program: Program, folder: Path, paths: Paths) -> dict[str, str] | Reason:
    """The toolchain of this computer as hashes by command, or why it cannot be told.

    Remembered by the file that each program is; a project's own choice (rust-toolchain) is part of that. A
    compiler that is not here has ABSENT: make builds C without a compiler for C++, here as there.
    """
    known = read_object(paths.toolchains, "What is known of the compilers here")
    found: dict[str, str] = {}
    fresh: dict[str, list[object]] = {}
    for command in program.identity:
        name = command.partition(" ")[0]
        place = shutil.which(name)
        if place is None and not found:
            return OffloadReason.NO_TOOL_HERE.of(name=name)
        if place is None:
            found[command] = ABSENT
            continue
        key = f"{command}\0{_version_of_file(place)}\0{_chosen(folder)}"
        row = known.get(key)
        at, identity = row if isinstance(row, list) and len(row) == 2 else (0.0, None)
        if fits(at, float) and fits(identity, str) and time.time() - at < FORGOTTEN_S:
            found[command] = str(identity)
            continue
        found[command] = identity_of(command, folder)
        fresh[key] = [time.time(), found[command]]
    if fresh:
        write_atomically(paths.toolchains, json.dumps({**known, **fresh}).encode())
    return found


def identity_of(command: str, folder: Path) -> str:
    """The hash of what a command of the table prints here, as resources/offload/probe.sh makes it there."""
    environment = {**os.environ, "LC_ALL": "C"}
    done = subprocess.run(
        ("/bin/sh", "-c", command),
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=IDENTITY_S,
        check=False,
    )
    return hashlib.sha256(done.stdout.rstrip(b"\n") + b"\n").hexdigest()[:32]


def system_here() -> str:
    """Machine and C library: what is linked against a newer one there would not start here."""
    name = os.uname()
    try:
        library = os.confstr("CS_GNU_LIBC_VERSION") or ""
    except (ValueError, OSError):
        library = ""
    return f"{name.sysname} {name.machine} {library}"


def look(worker: Worker, paths: Paths, identities: Sequence[str]) -> WorkerReport:
    """Ask a worker about itself. Raises Unreachable."""
    line = SshConnection(worker, paths.runtime)
    line.open()
    head = values({}, {"identities": identities})
    script = head + (resources() / "offload" / "probe.sh").read_text(encoding="utf-8")
    if worker.is_slurm:
        # The nodes do the work, and not the host that one signs in to.
        launch = " ".join(launch_words(worker.partition, worker.options))
        script = f"{launch} bash -s <<'STEWARD_PROBE'\n{script}\nSTEWARD_PROBE\n"
    try:
        done = line.shell(script, PROBE_S)
    except subprocess.TimeoutExpired as error:
        raise Unreachable(OffloadReason.UNREACHABLE.of(worker=worker.name, why="no answer")) from error
    said = done.stdout.decode("utf-8", "replace")
    if "system " not in said:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        why = lines[-1] if lines else f"ssh ended with {done.returncode}"
        raise Unreachable(OffloadReason.UNREACHABLE.of(worker=worker.name, why=why))
    return _seen(said, time.time())


def looked_at(
    workers: Iterable[Worker], paths: Paths, identities: Sequence[str]
) -> dict[str, WorkerReport | Reason]:
    """What is known of each: remembered for a minute, else asked, many at once."""
    workers = list(workers)
    file = SeenFile(paths)
    found: dict[str, WorkerReport | Reason] = dict(file.fresh())
    missing = [each for each in workers if not _answers(found.get(each.name), identities)]
    if missing:
        # Here, since most commands find all of them remembered, and it brings half a start's imports along.
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(min(len(missing), ASKED_AT_ONCE)) as pool:
            told = pool.map(lambda one: _tried(one, paths, identities), missing)
            asked = dict(zip((each.name for each in missing), told, strict=True))
        found |= asked
        if reached := {name: seen for name, seen in asked.items() if isinstance(seen, WorkerReport)}:
            file.put(reached)
    return {each.name: found[each.name] for each in workers}


def fitting(
    program: Program, folder: Path, root: Path, workers: Iterable[Worker], paths: Paths
) -> list[Worker] | Reason:
    """The workers that would take a command in `folder` of the project `root` now, the best first; the reason
    where none does. Asks those of which nothing is known for a minute."""
    allowed = [each for each in workers if each.takes(root)]
    if not allowed:
        return OffloadReason.NO_WORKERS.of()
    wanted = here(program, folder, paths)
    if isinstance(wanted, Reason):
        return wanted
    seen = looked_at(allowed, paths, program.identity)
    key = mirror_key(paths.data, root)
    warm = {each.name for each in allowed if (paths.mirrors / key / f"{each.name}.json").is_file()}
    found, why = ranked(allowed, seen, wanted, warm)
    return found or why or OffloadReason.NO_WORKERS.of()


def ranked(
    workers: Iterable[Worker], seen: dict[str, WorkerReport | Reason], wanted: dict[str, str], warm: set[str]
) -> tuple[list[Worker], Reason | None]:
    """The workers that fit, the best first; where none does, why the first does not."""
    fit: list[tuple[float, str, Worker]] = []
    why: Reason | None = None
    for worker in workers:
        one = seen[worker.name]
        unfit = one if isinstance(one, Reason) else _unfit(worker, one, wanted)
        if unfit is not None or isinstance(one, Reason):
            why = why or unfit
            continue
        # A cluster's load is its scheduler's concern.
        load = 0.0 if worker.is_slurm else one.load_per_core
        fit.append((load - (WARM_IS_WORTH if worker.name in warm else 0.0), worker.name, worker))
    return [worker for _load, _name, worker in sorted(fit, key=lambda each: each[:2])], why


def _unfit(worker: Worker, seen: WorkerReport, wanted: dict[str, str]) -> Reason | None:
    if seen.missing:
        return OffloadReason.MISSING_THERE.of(worker=worker.name, name=seen.missing[0])
    if seen.system != system_here():
        return OffloadReason.OTHER_TOOLCHAIN.of(worker=worker.name, name=seen.system)
    other = next((each for each, hashed in wanted.items() if seen.tools.get(each, ABSENT) != hashed), None)
    if other is not None:
        return OffloadReason.OTHER_TOOLCHAIN.of(worker=worker.name, name=other)
    return None


def _answers(seen: WorkerReport | Reason | None, identities: Sequence[str]) -> bool:
    """Whether all that is asked for now was asked then: an absent tool has no line, so any answer counts."""
    return isinstance(seen, WorkerReport) and all(f"?{each}" in seen.tools for each in identities)


def _tried(worker: Worker, paths: Paths, identities: Sequence[str]) -> WorkerReport | Reason:
    try:
        seen = look(worker, paths, identities)
    except Unreachable as error:
        return error.reason
    # What was asked is remembered too, since an absent tool has no line.
    return WorkerReport(
        seen.at,
        seen.cores,
        seen.load,
        seen.free_kb,
        {**seen.tools, **{f"?{each}": "" for each in identities}},
        seen.missing,
        seen.system,
    )


def _seen(said: str, at: float) -> WorkerReport:
    plain: dict[str, str] = {}
    tools: dict[str, str] = {}
    missing: list[str] = []
    for line in said.splitlines():
        name, _, value = line.partition(" ")
        if name == "tool":
            hashed, _, command = value.partition(" ")
            tools[command] = hashed
        elif name == "missing":
            missing.append(value)
        elif name == "box":
            missing.append("user namespaces for bwrap")
        else:
            plain[name] = value
    return WorkerReport(
        at,
        int(plain.get("cores", "1")),
        float(plain.get("load", "0")),
        int(plain.get("free", "0")),
        tools,
        tuple(missing),
        plain.get("system", ""),
    )


def _version_of_file(place: str) -> str:
    real = os.path.realpath(place)
    found = os.stat(real)
    return f"{real} {found.st_size} {found.st_mtime_ns}"


def _chosen(folder: Path) -> str:
    """The nearest file in which a project chooses its toolchain, with its time."""
    for above in (folder, *folder.parents):
        for name in ("rust-toolchain.toml", "rust-toolchain", ".python-version", ".nvmrc", ".tool-versions"):
            file = above / name
            if file.is_file():
                return f"{file} {file.stat().st_mtime_ns}"
    return ""
