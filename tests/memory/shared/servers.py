"""Real servers for the contract: started for the test, ended after it, skipped where there are none."""

from __future__ import annotations

import importlib.util
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def postgres(folder: Path, method: str = "trust") -> Iterator[str]:
    """A cluster of its own on a socket in `folder`; the address of its database. With `scram-sha-256` every
    login has its own name as its password.
    """
    pytest.importorskip("psycopg", reason="psycopg is not installed (extra “team”)")
    programs, data = _programs(), folder / "data"
    if programs is None:
        pytest.skip("PostgreSQL is installed neither by the system nor by the package pgserver")
    as_user: list[str] = []
    if os.name == "posix" and os.geteuid() == 0:  # PostgreSQL refuses to run as root
        user = _unprivileged()
        as_user = ["runuser", "-u", user, "--"]
        if subprocess.run([*as_user, str(programs / "initdb"), "--version"], capture_output=True).returncode:
            pytest.skip(f"the user {user} cannot start PostgreSQL's programs where they lie")
        _let_in(folder, user)
    run = [*as_user, str(programs / "initdb"), "-D", str(data), "-A", method, "-U", "steward", "-E", "UTF8"]
    password = folder / "password"
    password.write_text("steward\n", encoding="utf-8")
    run += ["--no-sync", "--locale=C", f"--pwfile={password}"]
    subprocess.run(run, check=True, capture_output=True, cwd="/")
    options = f"-k {folder} -c listen_addresses='' -c fsync=off"
    control = [*as_user, str(programs / "pg_ctl"), "-D", str(data)]
    subprocess.run(
        [*control, "-w", "-o", options, "-l", str(folder / "log"), "start"],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
    )
    try:
        yield f"postgresql://steward@/postgres?host={folder}"
    finally:
        subprocess.run([*control, "-m", "immediate", "stop"], check=False, capture_output=True, cwd="/")


@contextmanager
def redis(folder: Path) -> Iterator[str]:
    """A server of its own on a free port of this computer."""
    pytest.importorskip("redis", reason="redis is not installed (extra “team”)")
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("Redis is not installed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(folder)]
    with subprocess.Popen([program, *options], stdout=subprocess.DEVNULL) as server:
        try:
            _wait_for(port)
            yield f"redis://127.0.0.1:{port}/0"
        finally:
            server.terminate()


def _programs() -> Path | None:
    """Those of the package pgserver, which has pgvector; else those of the system."""
    spec = importlib.util.find_spec("pgserver")
    if spec is not None and spec.origin is not None:
        carried = Path(spec.origin).parent / "pginstall" / "bin"
        if (carried / "initdb").exists():
            return carried
    found = shutil.which("initdb") or next(map(str, Path("/usr/lib/postgresql").glob("*/bin/initdb")), None)
    return Path(found).parent if found is not None else None


def _wait_for(port: int) -> None:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        with socket.socket() as line:
            if line.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    pytest.fail("the server did not start")


def _unprivileged() -> str:
    """PostgreSQL's own user where the system has it, else the one that every system has."""
    import pwd  # Unix alone has it

    try:
        pwd.getpwnam("postgres")
    except KeyError:
        return "nobody"
    return "postgres"


def _let_in(folder: Path, user: str) -> None:
    """The user that the server runs as needs the folder, and the way to it."""
    shutil.chown(folder, user)
    for parent in folder.parents:
        if parent.stat().st_uid == os.geteuid() and parent != Path("/"):
            parent.chmod(parent.stat().st_mode | 0o011)
