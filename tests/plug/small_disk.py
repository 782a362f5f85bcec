"""A scenario on a disk of its own that is full, or turns read-only: `… SCENARIO FOLDER MODE KILOBYTES`.

Runs inside mount and user namespaces (`unshare`), where the test may mount what it likes. Prints one line of
JSON: what the work raised, and what was wrong afterwards, "" where nothing was.
"""

from __future__ import annotations

import json
import subprocess
import sys
import traceback
from pathlib import Path

from tests.models.a_download import BODY, PATH
from tests.models.file_server import FileServer
from tests.plug.scenarios import BY_NAME, Scenario, paths_of, whole

DISK = "48m"
WORK_S = 2.0  # a full disk does not end every work: the recorder of events counts what it lost


def main(name: str, folder: str, mode: str, kilobytes: str) -> None:
    scenario, root = BY_NAME[name], Path(folder)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}", "none", folder], check=True)
    with FileServer() as server:
        server.serve(PATH, BODY)
        scenario.prepare(root)
        filler = root / "filler"
        if mode == "full":
            fill(filler, int(kilobytes))
        else:
            subprocess.run(["mount", "-o", "remount,ro", folder], check=True)
        acks, raised = work(scenario, root, server.url + PATH)
        subprocess.run(["mount", "-o", "remount,rw", folder], check=True)
        filler.unlink(missing_ok=True)
    sys.stdout.write(json.dumps({"raised": raised, "wrong": wrong(scenario, root, acks)}) + "\n")


def fill(filler: Path, kilobytes: int) -> None:
    """Leave so much room."""
    block = b"\xff" * 1024
    with filler.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(block * 64)
        except OSError:
            file.truncate(max(0, file.tell() - kilobytes * 1024))


def work(scenario: Scenario, root: Path, address: str) -> tuple[list[object], str]:
    command = [sys.executable, "-m", "tests.plug.program", scenario.name, str(root), address]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        try:
            said, _ = child.communicate(timeout=WORK_S)
        except subprocess.TimeoutExpired:
            child.kill()
            said, _ = child.communicate()
    lines = said.splitlines()
    acks = [json.loads(line[4:]) for line in lines if line.startswith("ack ")]
    return acks, next((line[7:] for line in lines if line.startswith("raised ")), "")


def wrong(scenario: Scenario, root: Path, acks: list[object]) -> str:
    try:
        assert whole(paths_of(root).database), "the database is damaged"
        scenario.check(root, acks)
    except Exception:  # told to the test
        return traceback.format_exc(limit=-3)
    return ""


if __name__ == "__main__":
    main(*sys.argv[1:])
