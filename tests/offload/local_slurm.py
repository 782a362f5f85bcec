"""A cluster of one node on this machine, with keys, ports and folders of its own."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from pathlib import Path

from tests.ports import free_port

NEEDED = ("munged", "slurmctld", "slurmd", "srun", "sinfo")
PARTITION = "short"


def why_not() -> str:
    """Why there can be no cluster here; "" where there can."""
    missing = next((each for each in NEEDED if shutil.which(each) is None), "")
    if missing:
        return f"{missing} is not installed"
    return "a cluster of its own needs root" if os.geteuid() else ""


class LocalSlurm:
    """`start` returns when the node is idle. `configuration` is what SLURM_CONF has to name."""

    def __init__(self, folder: Path) -> None:
        self.inside: tuple[
            str, ...
        ] = ()  # what stands before each daemon, so that it sees another home folder
        self.folder = folder
        folder.mkdir(mode=0o755)
        self.configuration = folder / "slurm.conf"
        self._socket = folder / "munge.socket"
        self._processes: list[subprocess.Popen[bytes]] = []
        key = folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        host = socket.gethostname().partition(".")[0]
        ports = [free_port() for _ in range(2)]
        self.configuration.write_text(
            f"""ClusterName=trial
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
AuthType=auth/munge
AuthInfo=socket={self._socket}
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
SchedulerType=sched/builtin
MpiDefault=none
NodeName={host} NodeAddr=127.0.0.1 CPUs={os.cpu_count() or 1} State=UNKNOWN
PartitionName={PARTITION} Nodes={host} Default=YES MaxTime=10 State=UP
"""
        )
        for name in ("state", "spool"):
            (folder / name).mkdir()

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, "SLURM_CONF": str(self.configuration)}

    def start(self) -> None:
        folder = self.folder
        self._begin(
            "munged",
            *("--foreground", "--force", f"--key-file={folder}/munge.key", f"--socket={self._socket}"),
            *(f"--pid-file={folder}/munged.pid", f"--log-file={folder}/munged.log"),
            f"--seed-file={folder}/munged.seed",
        )
        self._until(self._socket.exists)
        self._begin("slurmctld", "-D", "-c", "-f", str(self.configuration))
        self._begin("slurmd", "-D", "-f", str(self.configuration))
        self._until(self._is_idle)

    def stop(self) -> None:
        for process in reversed(self._processes):
            process.terminate()
        for process in self._processes:
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def _is_idle(self) -> bool:
        done = subprocess.run(
            ("sinfo", "-h", "-o", "%T"), env=self.environment, capture_output=True, text=True
        )
        return "idle" in done.stdout

    def _begin(self, *words: str) -> None:
        with (self.folder / f"{words[0]}.out").open("ab") as log:
            program = shutil.which(words[0]) or words[0]
            self._processes.append(
                subprocess.Popen(
                    (*self.inside, program, *words[1:]), env=self.environment, stdout=log, stderr=log
                )
            )

    def _until(self, is_so: object) -> None:
        assert callable(is_so)
        for _ in range(600):
            if is_so():
                return
            time.sleep(0.1)
        raise AssertionError("\n".join(each.read_text() for each in self.folder.glob("*.out")))
