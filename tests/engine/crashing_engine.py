"""`python -m tests.engine.crashing_engine`: real engines in which native code ends the program.

Reads a line of JSON for each start and answers with one. The words of a start: the profile, what the computer
has (`card` or `processor`), where it ends (`load`, `compute`, `never`) and with what (`card` or `processor`),
the setting `gpu_layers`, `insist` or nothing. Each start is a process of its own, forked from one that has
imported everything and begun nothing. The answer is what it said, or null where a crash ended it.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from desktop.engine.engine import Engine, start_thread
from desktop.errors import UserFacing
from desktop.events import Bus
from desktop.paths import Paths, ensure
from desktop.settings import ModelSettings
from tests.engine.conftest import PlentyOfMemory, ask
from tests.fakes.scripted_model import ScriptedBackend, ScriptedModel, installed


@dataclass
class Crashing(ScriptedBackend):
    """Ends the program as a driver does."""

    where: str = "never"
    what: str = "processor"

    def load(self, path: Path, gpu_layers: int, progress: Callable[[float], bool]) -> ScriptedModel:
        uses = "card" if gpu_layers and self.has_gpu else "processor"

        def end(step: str) -> None:
            if (self.where, self.what) == (step, uses):
                signal.raise_signal(signal.SIGSEGV)  # to this thread, at once

        self.on_decode = lambda _context, _tokens: end("compute")
        end("load")
        return super().load(path, gpu_layers, progress)


def main(profile: str, has: str, where: str, what: str, gpu_layers: str, insist: str = "") -> dict[str, str]:
    devices = ("cuda", "cpu") if has == "card" else ("cpu",)
    paths, settings = Paths.under(Path(profile)), ModelSettings(threads=2, gpu_layers=int(gpu_layers))
    ensure(paths.data)
    backend = Crashing("Done.", devices=devices, where=where, what=what)
    engine = Engine(paths, Bus(), lambda: settings, backend, memory=PlentyOfMemory())
    thread = start_thread(engine)
    engine.use(installed(Path(profile) / "models"), insist=bool(insist))
    told = {"code": "", "text": ""}
    try:
        told["text"] = engine.submit(ask()).text(10)
    except UserFacing as error:
        told = {"code": error.code, "text": str(error)}
    told |= {"device": engine.status.device, "notice": str(engine.status.notice or "")}
    engine.close()
    thread.join()
    return told


def start(words: list[str]) -> str:
    """What a process of its own says, as JSON."""
    reading, writing = os.pipe()
    pid = os.fork()
    if not pid:
        os.write(writing, json.dumps(main(*words)).encode())
        os._exit(0)
    os.close(writing)
    with open(reading, encoding="utf-8") as said:
        told = said.read()
    _pid, status = os.waitpid(pid, 0)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGSEGV:
        return "null"
    assert status == 0, f"it ended with status {status}"
    return told


if __name__ == "__main__":
    answers, sys.stdout = sys.stdout, sys.stderr  # the log goes to what stands for stdout
    for line in sys.stdin:
        print(start(json.loads(line)), file=answers, flush=True)
