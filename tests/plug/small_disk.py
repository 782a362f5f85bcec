"""A scenario on a disk of its own that is full, or turns read-only.

Runs in a process of `tests.plug.fork_server` inside mount and user namespaces (`unshare`), where the test may
mount what it likes. Prints one line of JSON: what the work raised, and what was wrong afterwards, "" where
nothing was.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import traceback
from dataclasses import dataclass
from pathlib import Path

from tests.models.a_download import BODY, PATH
from tests.models.file_server import FileServer
from tests.plug import program
from tests.plug.scenarios import BY_NAME, Scenario, paths_of, whole

DISK = "48m"
WORK_S = 1.0  # a full disk does not end every work: the recorder of events counts what it lost


def main(name: str, folder: str, mode: str, kilobytes: str) -> None:
    scenario, root = BY_NAME[name], Path(folder)
    worker = Worker.forked(scenario, root)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}", "none", folder], check=True)
    with FileServer() as server:
        server.serve(PATH, BODY)
        scenario.prepare(root)
        filler = root / "filler"
        if mode == "full":
            fill(filler, int(kilobytes))
        else:
            subprocess.run(["mount", "-o", "remount,ro", folder], check=True)
        acks, raised = worker.work(server.url + PATH)
        subprocess.run(["mount", "-o", "remount,rw", folder], check=True)
        filler.unlink(missing_ok=True)
    sys.stdout.write(json.dumps({"raised": raised, "wrong": wrong(scenario, root, acks)}) + "\n")
    subprocess.run(["umount", "--lazy", folder], check=True)


def fill(filler: Path, kilobytes: int) -> None:
    """Leave so much room."""
    block = b"\xff" * 1024
    with filler.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(block * 64)
        except OSError:
            file.truncate(max(0, file.tell() - kilobytes * 1024))


@dataclass(frozen=True)
class Worker:
    """A process that waits for the address before it works; forked while nothing else runs in this one."""

    pid: int
    address: int  # pipes
    said: int

    @classmethod
    def forked(cls, scenario: Scenario, root: Path) -> Worker:
        (wanted, address), (said, says) = os.pipe(), os.pipe()
        pid = os.fork()
        if not pid:
            os.close(address)
            os.dup2(says, 1)
            with open(wanted, encoding="utf-8") as file:
                told = file.read()
            if told:  # else what forked it has failed
                program.main(scenario.name, str(root), told)
            os._exit(1)
        os.close(wanted)
        os.close(says)
        return cls(pid, address, said)

    def work(self, address: str) -> tuple[list[object], str]:
        """What it acknowledged and raised until its time was up."""
        with open(self.address, "w", encoding="utf-8") as file:
            file.write(address)
        time_up = threading.Timer(WORK_S, os.kill, [self.pid, signal.SIGKILL])
        time_up.start()
        with open(self.said, encoding="utf-8") as file:
            lines = file.read().splitlines()
        time_up.cancel()
        time_up.join()  # before the number may be another's
        os.waitpid(self.pid, 0)
        acks = [json.loads(line[4:]) for line in lines if line.startswith("ack ")]
        return acks, next((line[7:] for line in lines if line.startswith("raised ")), "")


def wrong(scenario: Scenario, root: Path, acks: list[object]) -> str:
    try:
        assert whole(paths_of(root).database), "the database is damaged"
        scenario.check(root, acks)
    except Exception:  # told to the test
        return traceback.format_exc(limit=-3)
    return ""
