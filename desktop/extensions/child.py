"""The process of one extension: it answers on a pipe, and all that it can do besides is ask.

Runs under `python -I -S` with the standard library alone. It gives up files, sockets, other processes and
threads before it reads a line of the extension's code, and what that code prints goes to its log. One JSON
object a line, both ways:

    in   {"id", "call", "arguments", "context"}         a call of a function
    out  {"id", "result"} or {"id", "error"}            what came of it, the last line of a call
    out  {"id", "ask", ...}, in {"answer"} or {"refused"}     a wish, in the middle of a call
    out  {"id", "log"}                                  a line for the log; nobody answers

Nothing here is trusted by the other side: the code that runs here can write to the pipe whatever it likes.
"""

from __future__ import annotations

import json
import os
import sys
import time

TYPE_CHECKING = False
# Not typing's own: that module alone would be a tenth of this process.
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

RECURSION = 1_000
LOG_CHARACTERS = 500
PR_SET_PDEATHSIG, PR_SET_SECCOMP, FILTER_MODE = 1, 22, 2
KILL = 9


class Refused(Exception):
    """What was asked for is not given; the text says why."""


class State:
    """Values under keys, kept between calls and starts: anything that JSON can hold."""

    def __init__(self, channel: Channel, kind: str) -> None:
        self._channel = channel
        self._kind = kind

    def get(self, key: str, default: Any = None) -> Any:
        """The value under `key`; reading it makes it the most recently used."""
        said = self._channel.ask(f"{self._kind}.get", key=key)
        return default if said is None else json.loads(said)

    def put(self, key: str, value: Any) -> None:
        """Keep `value`; where there is no room the least recently used values go."""
        self._channel.ask(f"{self._kind}.put", key=key, value=json.dumps(value))

    def delete(self, key: str) -> None:
        """Forget it."""
        self._channel.ask(f"{self._kind}.delete", key=key)

    def keys(self) -> list[str]:
        """All keys, the most recently used first."""
        return list(self._channel.ask(f"{self._kind}.keys"))


class ExtensionContext:
    """What a callback is told besides its text, and what it may ask for.

    `tenant` is the group of the user's team, or "". `session` stands for the conversation and says nothing
    about it. `tools` are the names of the tools that the model has. `settings` are those that the manifest
    declares, as the user has set them.
    """

    def __init__(self, channel: Channel, facts: Mapping[str, Any]) -> None:
        self.tenant: str = facts["tenant"]
        self.session: str = facts["session"]
        self.tools: tuple[str, ...] = tuple(facts["tools"])
        self.settings: dict[str, Any] = facts["settings"]
        self.state = State(channel, "state")
        self.shared = State(channel, "shared")
        self._channel = channel

    def fetch(self, url: str) -> str:
        """The text at `url`, of a host that the manifest names. Raises Refused."""
        return str(self._channel.ask("fetch", url=url))

    def log(self, text: str) -> None:
        """A line for `steward extensions log`."""
        self._channel.log(text)


class Channel:
    """The two pipes to Steward."""

    def __init__(self, reader: int, writer: int) -> None:
        self._reader = os.fdopen(reader, "rb", 65536)
        self._writer = writer
        self.call_id = ""

    def receive(self) -> dict[str, Any]:
        line = self._reader.readline()
        # Steward is gone, or wants nothing more.
        if not line:
            os._exit(0)
        said: dict[str, Any] = json.loads(line)
        return said

    def send(self, **said: Any) -> None:
        text = json.dumps({"id": self.call_id, **said}).encode() + b"\n"
        while text:
            text = text[os.write(self._writer, text) :]

    def ask(self, what: str, **values: Any) -> Any:
        self.send(ask=what, **values)
        said = self.receive()
        if "refused" in said:
            raise Refused(said["refused"])
        return said.get("answer")

    def log(self, text: str) -> None:
        self.send(log=str(text)[:LOG_CHARACTERS])


class Printed:
    """Stands for stdout and stderr: whole lines go to the log."""

    encoding, errors = "utf-8", "replace"

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._begun = ""

    def write(self, text: str) -> int:
        *lines, self._begun = (self._begun + text).split("\n")
        for line in lines:
            self._channel.log(line)
        self._begun = self._begun[:LOG_CHARACTERS]
        return len(text)

    def flush(self) -> None:
        """Nothing is held back but the line that is being written."""

    def isatty(self) -> bool:
        return False


def main(words: list[str]) -> None:
    """`words` is the task as JSON: `folder`, `entry`, `readable`, `filter`, `memory_bytes`, `processor_s`,
    `confined`. Never returns."""
    task = json.loads(words[0])
    channel = _take_pipes()
    # What it prints while it is loaded is its own as well.
    sys.stdout = sys.stderr = Printed(channel)
    try:
        _confine(task)
        functions = _load(task)
    except BaseException as error:  # the edge of this process: whatever its code raises while it is loaded
        channel.send(error=_words(error))
        os._exit(1)
    channel.send(ready=True)
    while True:
        _answer(channel, functions)


def _take_pipes() -> Channel:
    """Stdin and stdout become numbers that nothing prints to, and nothing is left in their place."""
    reader, writer = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    os.close(nothing)
    return Channel(reader, writer)


def _confine(task: Mapping[str, Any]) -> None:
    """Everything that is given up, given up. Raises OSError: then no code of the extension runs."""
    sys.setrecursionlimit(RECURSION)
    sys.dont_write_bytecode = True
    time.localtime()  # reads the zone from /etc, once
    if os.name != "posix":
        return
    import resource

    limits = {
        resource.RLIMIT_AS: task["memory_bytes"],
        resource.RLIMIT_CPU: task["processor_s"],
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: 32,
    }
    for which, most in limits.items():
        resource.setrlimit(which, (most, most))
    if not task["confined"]:
        return
    import ctypes

    from desktop.sandbox import landlock

    libc = ctypes.CDLL(None, use_errno=True)
    # The end of the pipe tells a child that waits; one that hangs when Steward is killed needs this.
    libc.prctl(PR_SET_PDEATHSIG, KILL, 0, 0, 0)
    landlock.forbid_files(task["readable"])
    text = bytes.fromhex(task["filter"])
    _filter(ctypes, libc, text)


def _filter(ctypes: Any, libc: Any, text: bytes) -> None:
    """Last of all, because it refuses what the others need. `seccomp` made the text; it is not imported here
    because what it imports would double this process."""

    class Program(ctypes.Structure):  # type: ignore[misc] # imported late
        _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))

    filled = Program(len(text) // 8, text)
    if libc.prctl(PR_SET_SECCOMP, FILTER_MODE, ctypes.byref(filled), 0, 0):
        raise OSError(ctypes.get_errno(), "seccomp")


def _load(task: Mapping[str, Any]) -> dict[str, Any]:
    """The names that the entry file defines. Its folder is where its own modules are found, and the checkout
    is nowhere any more."""
    folder, entry = task["folder"], task["entry"]
    # Ours is out of the way: an extension may have a module called `desktop` of its own.
    here = {name for name in sys.modules if name == "desktop" or name.startswith("desktop.")}
    for name in here:
        del sys.modules[name]
    sys.path[:] = [folder, *(place for place in sys.path if place != task["program"])]
    place = os.path.join(folder, entry)
    with open(place, "rb") as file:
        source = file.read()
    names: dict[str, Any] = {"__name__": "extension", "__file__": place, "__builtins__": __builtins__}
    exec(compile(source, entry, "exec"), names)  # noqa: S102 - what this process is for
    return names


def _answer(channel: Channel, functions: Mapping[str, Any]) -> None:
    said = channel.receive()
    channel.call_id = said["id"]
    try:
        function: Callable[..., Any] | None = functions.get(said["call"])
        if function is None:
            raise LookupError(f"there is no function {said['call']}")
        context = ExtensionContext(channel, said["context"])
        result = function(**said["arguments"], context=context)
        channel.send(result=result)
    except BaseException as error:  # the edge of this process: whatever the extension raises, exit() included
        channel.send(error=_words(error))


def _words(error: BaseException) -> str:
    """With the line of the extension that raised it, and without importing traceback."""
    place, frame = "", error.__traceback__
    while frame is not None:
        name = frame.tb_frame.f_code.co_filename
        if not name.endswith("child.py"):
            place = f" ({os.path.basename(name)}, line {frame.tb_lineno})"
        frame = frame.tb_next
    return f"{type(error).__name__}: {error}"[:LOG_CHARACTERS] + place


if __name__ == "__main__":
    main(sys.argv[-1:])
