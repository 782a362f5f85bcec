"""What a confined command may not do, tried for real in both modes."""

from __future__ import annotations

import ctypes
import os
import platform
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from desktop.sandbox import landlock
from desktop.sandbox.confiner import Confinement, Confiner, in_project, read_only
from tests.sandbox.confined import Box
from tests.sandbox.hostile import PY, REACHES, SURE, WRITES, python

pytestmark = pytest.mark.children

PRIVATE = b"-----a private key-----"
SECRETS = (
    ".ssh/id_ed25519",
    ".aws/credentials",
    ".azure/tokens",
    ".config/gcloud/credentials.db",
    ".config/google-chrome/Default/Cookies",
    ".kube/config",
    ".gnupg/private-keys-v1.d/k",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    ".docker/config.json",
    ".mozilla/firefox/a.default/logins.json",
    ".local/share/keyrings/login.keyring",
    ".claude/.credentials.json",
    ".codex/auth.json",
    ".gemini/oauth_creds.json",
)
# Landlock knows signals and abstract names from this version on; before, only the network namespace helps.
SCOPED_ABI = 6
LIBC = ctypes.CDLL(None, use_errno=True)
REMOVE = 0  # IPC_RMID
SIGNALS = frozenset({"ending another process", "stopping another process"})


@dataclass(frozen=True)
class Shared:
    """Memory, a queue with a message and a semaphore of another program, by their numbers (SysV)."""

    memory: int
    queue: int
    semaphore: int

    @classmethod
    def made(cls) -> Shared:
        found = cls(LIBC.shmget(0, 4096, 0o600), LIBC.msgget(0, 0o600), LIBC.semget(0, 1, 0o600))
        assert min(found.memory, found.queue, found.semaphore) >= 0
        assert LIBC.msgsnd(found.queue, struct.pack("q", 1) + b"x", 1, 0) == 0
        return found

    def remove(self) -> None:
        LIBC.shmctl(self.memory, REMOVE, None)
        LIBC.msgctl(self.queue, REMOVE, None)
        LIBC.semctl(self.semaphore, 0, REMOVE)


@dataclass
class World:
    """A box, and around it what must not be reached."""

    box: Box
    victim: subprocess.Popen[bytes]
    services: list[socket.socket]
    shared: Shared

    @property
    def environment(self) -> dict[str, str]:
        home = self.box.home
        return {
            "OUT": str(self.box.outside),
            "SECRET": str(home / ".ssh/id_ed25519"),
            "VICTIM": str(self.victim.pid),
            "SERVICE": str(home / "service.sock"),
            "ABSTRACT": f"steward-test-{os.getpid()}",
            "STEWARD": str(self.box.paths.profile),
            "PYTHON": sys.executable,
            "PY": PY,
            "OLD_CALL": str(home / "old_call"),
            "MEMORY": str(self.shared.memory),
            "QUEUE": str(self.shared.queue),
            "SEMAPHORE": str(self.shared.semaphore),
        }

    def reached(self) -> bool:
        """Whether a service outside has a caller."""
        for service in self.services:
            service.setblocking(False)
            try:
                if service.type == socket.SOCK_STREAM:
                    service.accept()
                else:
                    service.recv(1)
            except BlockingIOError:
                continue
            return True
        return False


@pytest.fixture
def world(box: Box, old_call: Path) -> Iterator[World]:
    for name in SECRETS:
        (box.home / name).parent.mkdir(parents=True, exist_ok=True)
        (box.home / name).write_bytes(PRIVATE)
    for folder, name in (
        (box.paths.config, "tokens"),
        (box.paths.data, "steward.sqlite3"),
        (box.paths.runtime, "hooks"),
    ):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(PRIVATE)
    (box.home / ".bashrc").write_text("# mine\n")
    (box.project / "key").symlink_to(box.home / ".ssh/id_ed25519")
    shutil.copy(old_call, box.home / "old_call")
    with subprocess.Popen(
        ["sleep", "600"], cwd=box.outside, env={**os.environ, "KEY": PRIVATE.decode()}
    ) as victim:
        made = World(box, victim, [], Shared.made())
        for kind, address in (
            (socket.SOCK_STREAM, made.environment["SERVICE"]),
            (socket.SOCK_STREAM, f"\0{made.environment['ABSTRACT']}"),
            (socket.SOCK_DGRAM, f"\0{made.environment['ABSTRACT']}d"),
        ):
            service = socket.socket(socket.AF_UNIX, kind)
            service.bind(address)
            if kind == socket.SOCK_STREAM:
                service.listen()
            made.services.append(service)
        try:
            yield made
        finally:
            victim.kill()
            made.shared.remove()
            for service in made.services:
                service.close()


@pytest.fixture(scope="session")
def old_call(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program that makes a file by the system calls of 32-bit x86, which filters often forget."""
    program = tmp_path_factory.mktemp("old call") / "old_call"
    source = program.with_suffix(".c")
    source.write_text(
        "int main(int count, char **words) { (void)count; int done;"
        '__asm__ volatile("int $0x80" : "=a"(done) : "a"(8), "b"(words[1]), "c"(0600)); return done < 0; }'
    )
    if platform.machine() != "x86_64":
        source.write_text("int main(void) { return 1; }")
    subprocess.run(["cc", "-no-pie", "-static", "-o", program, source], check=False, capture_output=True)
    if not program.exists():
        shutil.copy("/bin/false", program)
    return program


@pytest.fixture(params=["read only", "project"])
def confinement(request: pytest.FixtureRequest, box: Box) -> Confinement:
    if request.param == "read only":
        return read_only(box.paths)
    if reason := Confiner(box.paths).why_not_project():
        pytest.skip(str(reason))
    return in_project(box.paths, box.project)


def outside_of(box: Box) -> dict[str, tuple[int, int, bytes]]:
    """What must stay as it is: everything but the project and the caches of tools."""
    mine = (str(box.project), str(box.home / ".cache"))
    return {path: state for path, state in box.tree().items() if not path.startswith(mine)}


@pytest.mark.parametrize("act", WRITES)
def test_nothing_outside_is_changed(world: World, confinement: Confinement, act: str) -> None:
    """No content, name, permission, owner, time or attribute; the inherited file stays as well."""
    before = outside_of(world.box)
    line = (
        f'exec 9>> "$OUT/kept.txt"; {Confiner(world.box.paths).rewritten(WRITES[act], confinement, "call")}'
    )
    done = world.box.shell(line, environment=world.environment)
    assert Confiner(world.box.paths).did_run("call")
    assert outside_of(world.box) == before
    assert b"ESCAPED" not in done.stdout
    assert world.victim.poll() is None


@pytest.mark.parametrize("act", REACHES)
def test_nothing_outside_is_reached(world: World, confinement: Confinement, act: str) -> None:
    """No secret is printed, no service called, no process touched."""
    if act in SIGNALS and landlock.abi() < SCOPED_ABI:
        pytest.skip("this kernel's Landlock does not know signals")
    before = outside_of(world.box)
    done = world.box.run(REACHES[act], confinement, environment=world.environment)
    assert Confiner(world.box.paths).did_run("call")
    assert PRIVATE not in done.stdout
    assert b"ESCAPED" not in done.stdout
    assert not world.reached()
    assert world.victim.poll() is None
    assert outside_of(world.box) == before


@pytest.mark.parametrize("act", SURE)
def test_the_acts_are_real(world: World, act: str) -> None:
    """Where nothing confines them they do what the tests above look for."""
    before = outside_of(world.box)
    line = f'exec 9>> "$OUT/kept.txt"; {(WRITES | REACHES)[act]}'
    environment = {**world.environment, "TMPDIR": str(world.box.project)}
    done = world.box.shell(line, environment=environment)
    shown = PRIVATE in done.stdout or b"ESCAPED" in done.stdout
    assert shown or world.reached() or outside_of(world.box) != before


SHARES = """
import ctypes, os, struct, subprocess, sys, threading
libc = ctypes.CDLL(None, use_errno=True)
arm = os.uname().machine == "aarch64"
def tried(whom):
    acts = {
        "nice": ((141, 140), 0, whom, 19),
        "class of input": ((251, 30), 1, whom, 3 << 13),
        "scheduler": ((144, 119), whom, 3, struct.pack("i", 0)),
        "processors": ((203, 122), whom, 8, struct.pack("Q", 1)),
    }
    return [name for name, (numbers, *words) in acts.items() if libc.syscall(numbers[arm], *words) >= 0]
child = subprocess.Popen(["sleep", "60"])
found = []
thread = threading.Thread(target=lambda: found.append(tried(threading.get_native_id())))
thread.start()
thread.join()
print(tried(int(sys.argv[1])), len(tried(0)), len(found[0]), len(tried(child.pid)))
child.kill()
"""
NOBODY = 65534


@pytest.mark.parametrize(("mode", "own"), [("--read-only", 0), ("--project", 4)])
def test_no_process_outside_is_slowed(box: Box, mode: str, own: int) -> None:
    """Nor tied to one processor; of its own a command of a project may slow all. Tried without an
    administrator's rights, which the system asks for otherwise."""
    if mode == "--project" and (reason := Confiner(box.paths).why_not_project()):
        pytest.skip(str(reason))
    place = Path(tempfile.mkdtemp(prefix="steward-shares-"))
    place.chmod(0o755)
    is_root = os.geteuid() == 0
    who = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if is_root else {}
    try:
        client = shutil.copy(Confiner(box.paths).client, place / "client")
        Path(client).chmod(0o755)
        with subprocess.Popen(["sleep", "60"], **who) as victim:
            words = [client, mode, "--network", "none", "--", "/usr/bin/python3", "-I", "-c", SHARES]
            done = subprocess.run(
                [*words, str(victim.pid)], capture_output=True, text=True, cwd=place, check=False, **who
            )
            nice = os.getpriority(os.PRIO_PROCESS, victim.pid)
            victim.kill()
    finally:
        shutil.rmtree(place)
    assert (done.stdout, nice) == (f"[] 4 {own} {own}\n", os.getpriority(os.PRIO_PROCESS, 0)), done.stderr


@pytest.mark.parametrize("kind", ["shm", "msg", "sem"])
def test_nothing_stays_in_the_kernel(world: World, confinement: Confinement, kind: str) -> None:
    """Shared memory, queues and semaphores that a command makes end with it, where it may make any."""
    listed = Path("/proc/sysvipc", kind)
    before = listed.read_text()
    making = {"shm": "(29, 194), 77, 4096, 0o1600", "msg": "(68, 186), 77, 0o1600"}
    made = making.get(kind, "(64, 190), 77, 1, 0o1600")
    world.box.run(python(f"call({made})"), confinement, environment=world.environment)
    assert Confiner(world.box.paths).did_run("call")
    assert listed.read_text() == before
