"""The command in processes that begin with what every verb imports, which takes longer than most verbs.

`loaded_program()` starts `python -m tests.cli.loaded`, which imports that once, has no thread of its own, and
forks a process for each run. From there on it is what `python -m desktop` does: standard streams, arguments,
variables, the modules of the verb and the end are its own.
"""

from __future__ import annotations

import gc
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from pathlib import Path

LONGEST_MESSAGE = 1_000_000  # bytes of one request: arguments and variables


class LoadedProgram:
    """Runs the command. One at a time."""

    def __init__(self, requests: socket.socket) -> None:
        self._requests = requests

    def run(self, arguments: Sequence[str], stdin: str, timeout_s: float) -> subprocess.CompletedProcess[str]:
        """As `subprocess.run` with `capture_output`, in the folder that this process began in."""
        theirs_in, ours_in = os.pipe()
        ours_out, theirs_out = os.pipe()
        ours_err, theirs_err = os.pipe()
        request = json.dumps({"arguments": list(arguments), "variables": dict(os.environ)}).encode()
        assert len(request) <= LONGEST_MESSAGE
        try:
            socket.send_fds(self._requests, [request], [theirs_in, theirs_out, theirs_err])
        finally:
            for each in (theirs_in, theirs_out, theirs_err):
                os.close(each)
        pid = json.loads(self._requests.recv(LONGEST_MESSAGE))
        with ThreadPoolExecutor(3) as pool:
            pool.submit(_write, ours_in, stdin)
            said = [pool.submit(_read, each) for each in (ours_out, ours_err)]
            is_late = True
            try:
                is_late = bool(wait(said, timeout_s).not_done)
            finally:
                if is_late:  # also where the test is broken off
                    os.kill(pid, signal.SIGKILL)  # no other's number until it is asked for below
        out, err = (each.result() for each in said)
        self._requests.sendall(json.dumps({"wait": pid}).encode())
        code = json.loads(self._requests.recv(LONGEST_MESSAGE))
        if is_late:
            raise subprocess.TimeoutExpired(list(arguments), timeout_s, out, err)
        return subprocess.CompletedProcess(list(arguments), code, out, err)


def _write(descriptor: int, text: str) -> None:
    try:
        with open(descriptor, "w", encoding="utf-8") as stream:
            stream.write(text)
    except BrokenPipeError:
        pass  # it ended without reading that far


def _read(descriptor: int) -> str:
    with open(descriptor, encoding="utf-8") as stream:
        return stream.read()


@contextmanager
def loaded_program(folder: Path) -> Iterator[LoadedProgram]:
    """Until its end, the command can be run in `folder`."""
    # A socket that keeps messages apart: none is read together with the next.
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours, theirs:
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, LONGEST_MESSAGE)
        command = [sys.executable, "-m", "tests.cli.loaded", str(theirs.fileno())]
        none = subprocess.DEVNULL
        with subprocess.Popen(
            command, cwd=folder, pass_fds=[theirs.fileno()], stdin=none, stdout=none
        ) as server:
            theirs.close()
            yield LoadedProgram(ours)
            ours.close()
            assert server.wait() == 0


def serve(requests: socket.socket) -> list[str] | None:
    """Returns in each process that it has made with the arguments of the command; None at the end."""
    while True:
        message, streams, _, _ = socket.recv_fds(requests, LONGEST_MESSAGE, 3)
        if not message:
            return None
        request = json.loads(message)
        if "wait" in request:
            _, status = os.waitpid(request["wait"], 0)
            answer = os.waitstatus_to_exitcode(status)
        else:
            answer = os.fork()
            if not answer:
                requests.close()
                for number, stream in enumerate(streams):
                    os.dup2(stream, number)
                    os.close(stream)
                os.environ.clear()
                os.environ.update(request["variables"])
                return list(request["arguments"])
            for stream in streams:
                os.close(stream)
        requests.sendall(json.dumps(answer).encode())


def main() -> None:
    from desktop.__main__ import _missing

    with _missing("rich"):  # as `_verb` there
        import desktop.chat.conversation_memory  # what most of the verbs about memory take their time for
        import desktop.cli  # noqa: F401 - loaded, as the other
    del sys.modules["desktop.__main__"]  # it is run anew by each
    assert threading.active_count() == 1
    gc.collect()
    gc.freeze()  # what all share is not walked, and so copied, by each
    arguments = serve(socket.socket(fileno=int(sys.argv[1])))
    if arguments is not None:
        sys.argv[1:] = arguments
        runpy.run_module("desktop", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
