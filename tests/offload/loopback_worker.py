"""A worker on this machine: a real sshd with a port, a host key, a home folder and processes of its own.

It has mount and process namespaces of its own, so that it sees neither the client's folders nor its home, and
so that killing it takes every process with it, as a power cut would.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.ports import free_port

NEEDED = ("ssh", "ssh-keygen", "rsync", "bwrap", "flock", "unshare", "git")
SSHD = "/usr/sbin/sshd"
# Compilers that lie outside the system's folders, on both sides: a folder of programs, mostly that of npm.
TOOLS = os.environ.get("STEWARD_OFFLOAD_TOOLS", "")


def why_not() -> str:
    """Why no worker can be had here; "" where one can."""
    missing = next((each for each in NEEDED if shutil.which(each) is None), "")
    if missing or not Path(SSHD).is_file():
        return f"{missing or 'sshd'} is not installed"
    if os.geteuid():
        return "a worker with a home folder of its own needs root"
    tried = subprocess.run(("unshare", "-mpf", "--kill-child", "true"), capture_output=True)
    return "" if not tried.returncode else "namespaces are not to be had here"


class LoopbackWorker:
    """Started by `start`; `home` is what it has for /root, `shims` stands first on its PATH."""

    def __init__(
        self, folder: Path, hidden: Sequence[Path] = (), variables: Mapping[str, str] | None = None
    ) -> None:
        """`hidden` are the client's folders; `variables` are those of every session."""
        self._variables = dict(variables or {})
        self.folder = folder
        self.home = folder / "home"
        self.shims = folder / "shims"
        self.ssh_config = folder / "ssh_config"
        self._hidden = hidden
        self._process: subprocess.Popen[bytes] | None = None
        for each in (self.home, self.shims):
            each.mkdir(parents=True, exist_ok=True)
        for name in ("host_key", "client_key"):
            if not (folder / name).exists():
                words = ("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name))
                subprocess.run(words, check=True)
        self.port = free_port()
        self._write_configuration()

    @property
    def base(self) -> Path:
        """All that Steward keeps on it."""
        return self.home / ".cache" / "steward-offload"

    def start(self) -> None:
        binds = [f"mount --bind {self.home} /root"]
        for tool in (".cargo/bin", ".rustup"):
            real = Path("/root") / tool
            if real.is_dir():
                (self.home / tool).mkdir(parents=True, exist_ok=True)
                binds.insert(0, f"mount --bind {real} {self.home / tool}")
        binds[-1] = f"mount --rbind {self.home} /root"
        binds += [f"mount -t tmpfs none {each}" for each in self._hidden]
        script = f"""
            mount --make-rprivate /
            mount -t proc proc /proc
            mkdir -p /run/sshd
            {os.linesep.join(binds)}
            exec {SSHD} -D -e -f {self.folder}/sshd_config
        """
        log = (self.folder / "sshd.log").open("ab")
        self._process = subprocess.Popen(
            ("unshare", "-mpf", "--kill-child=KILL", "sh", "-ec", script),
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        log.close()
        for _ in range(400):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            if self._process.poll() is not None:
                break
            time.sleep(0.05)
        raise AssertionError((self.folder / "sshd.log").read_text())

    @property
    def inside(self) -> tuple[str, ...]:
        """What stands before a program that is to run on the worker, with its files and processes."""
        assert self._process is not None
        number = self._process.pid
        child = Path(f"/proc/{number}/task/{number}/children").read_text().split()[0]
        return ("nsenter", "-t", child, "-m", "-p")

    def freeze(self) -> None:
        """Nothing of it answers any more, and no connection ends: as when the network is cut."""
        subprocess.run((*self.inside, "sh", "-c", "kill -STOP -1"), check=True)

    def kill(self) -> None:
        """All its processes, at once and without a word."""
        process, self._process = self._process, None
        if process is not None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def shim(self, name: str, script: str) -> None:
        """A program that stands before the real one on the worker; `REAL` is the path of that."""
        real = shutil.which(name) or name
        file = self.shims / name
        file.write_text(f"#!/bin/bash\nREAL={real}\n{script}\n")
        file.chmod(0o755)

    def _write_configuration(self) -> None:
        folder = self.folder
        further = "".join(f" {name}={value}" for name, value in self._variables.items())
        (folder / "authorized_keys").write_text((folder / "client_key.pub").read_text())
        (folder / "sshd_config").write_text(
            f"""Port {self.port}
ListenAddress 127.0.0.1
HostKey {folder}/host_key
AuthorizedKeysFile {folder}/authorized_keys
PidFile {folder}/sshd.pid
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin yes
MaxSessions 100
SetEnv PATH={self.shims}:{TOOLS or "/usr/local/bin"}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin{further}
"""
        )
        public = (folder / "host_key.pub").read_text().split()[:2]
        (folder / "known_hosts").write_text(f"[127.0.0.1]:{self.port} {' '.join(public)}\n")
        self.ssh_config.write_text(
            f"""Host tower
  HostName 127.0.0.1
  Port {self.port}
  User root
  IdentityFile {folder}/client_key
  IdentitiesOnly yes
  UserKnownHostsFile {folder}/known_hosts
"""
        )
