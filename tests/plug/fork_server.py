"""Processes that begin with the whole program imported, which takes longer than what most of them do.

`fork_server()` starts `python -m tests.plug.fork_server`, which imports the scenarios once, has no thread of
its own, and forks a process for each request. Each is a process like any other: killed by its number, with a
standard output of its own, and with the state in which a start would have found it.
"""

from __future__ import annotations

import gc
import json
import os
import socket
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any

LONGEST_MESSAGE = 65_536  # bytes of one request or response


@dataclass(frozen=True)
class Forked:
    """A process, with what it writes. `wait` before it is left."""

    pid: int
    stdout: IO[bytes]
    stderr: IO[bytes]
    _requests: socket.socket

    def wait(self) -> int:
        """Its exit code as `subprocess` has it: a signal is negative."""
        self._requests.sendall(json.dumps({"wait": self.pid}).encode())
        return int(json.loads(self._requests.recv(LONGEST_MESSAGE)))

    def errors(self) -> str:
        self.stderr.seek(0)
        return self.stderr.read().decode(errors="replace")


class ForkServer:
    """Starts processes, one after the other."""

    def __init__(self, requests: socket.socket) -> None:
        self._requests = requests

    @contextmanager
    def start(self, role: str, *arguments: str) -> Iterator[Forked]:
        """A process that plays one of `ROLES`."""
        ours, theirs = os.pipe()
        with open(ours, "rb") as stdout, tempfile.TemporaryFile() as stderr:
            request = json.dumps({"role": role, "arguments": arguments}).encode()
            try:
                socket.send_fds(self._requests, [request], [theirs, stderr.fileno()])
            finally:
                os.close(theirs)
            yield Forked(
                int(json.loads(self._requests.recv(LONGEST_MESSAGE))), stdout, stderr, self._requests
            )


@contextmanager
def fork_server(*within: str) -> Iterator[ForkServer]:
    """`within` is a command that starts another, in namespaces of its own for example."""
    # A socket that keeps messages apart: none is read together with the next.
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours, theirs:
        command = [*within, sys.executable, "-m", "tests.plug.fork_server", str(theirs.fileno())]
        with subprocess.Popen(command, pass_fds=[theirs.fileno()]) as server:
            theirs.close()
            yield ForkServer(ours)
            ours.close()
            assert server.wait() == 0


def serve(requests: socket.socket) -> None:
    """Until the other side closes."""
    while True:
        message, outputs, _, _ = socket.recv_fds(requests, LONGEST_MESSAGE, 2)
        if not message:
            return
        request = json.loads(message)
        if "wait" in request:
            _, status = os.waitpid(request["wait"], 0)
            answer = os.waitstatus_to_exitcode(status)
        else:
            answer = os.fork()
            if not answer:
                requests.close()
                become(request["role"], request["arguments"], outputs)
            for each in outputs:
                os.close(each)
        requests.sendall(json.dumps(answer).encode())


def become(role: str, arguments: Sequence[str], outputs: Sequence[int]) -> None:
    """Does not return, so that nothing of the server is done twice."""
    code = 1
    try:
        for number, output in enumerate(outputs, 1):
            os.dup2(output, number)
            os.close(output)
        ROLES[role](*arguments)
        sys.stdout.flush()
        code = 0
    except BaseException:  # the edge of this process
        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(code)


if __name__ == "__main__":
    from tests.backup import killed_restore
    from tests.plug import program, small_disk

    ROLES: dict[str, Any] = {
        "program": program.main,
        "small disk": small_disk.main,
        "killed restore": killed_restore.main,
    }
    gc.collect()
    gc.freeze()  # what all share is not walked, and so copied, by each
    serve(socket.socket(fileno=int(sys.argv[1])))
