"""What answers on a port that we wanted: another Steward, or a stranger.

One small request by hand over a socket of this computer; the program's own client is for the network.
"""

from __future__ import annotations

import json
import socket
import time
from dataclasses import dataclass

import psutil
import structlog

log = structlog.get_logger(__name__)

PATIENCE_S = 1.0
LONGEST_ANSWER_BYTES = 16_384


@dataclass(frozen=True)
class Neighbour:
    """Another Steward."""

    version: str
    pid: int


def who_answers(address: str, port: int) -> str:
    """In words, for the middle of a sentence. Takes at most a second or so; never raises."""
    steward = steward_at(address, port)
    if steward is not None:
        return f"another Steward (version {steward.version}, process {steward.pid})"
    return _owner(port) or "another program"


def steward_at(address: str, port: int) -> Neighbour | None:
    """The Steward that answers there; None for silence and for strangers."""
    try:
        facts = json.loads(_asked(address, port).partition(b"\r\n\r\n")[2])
        if facts["program"] == "steward":
            return Neighbour(str(facts["version"])[:40], int(facts["pid"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        log.info("no Steward answers there", port=port, error=str(error))
    return None


def _asked(address: str, port: int) -> bytes:
    request = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
    answer = b""
    deadline = time.monotonic() + PATIENCE_S
    with socket.create_connection((address, port), PATIENCE_S) as line:
        line.sendall(request)
        while len(answer) < LONGEST_ANSWER_BYTES and (left_s := deadline - time.monotonic()) > 0:
            line.settimeout(left_s)
            part = line.recv(4096)
            if not part:
                break
            answer += part
    return answer


def _owner(port: int) -> str:
    """The program that listens, where the system tells: it does for programs of the same user."""
    try:
        for found in psutil.net_connections("tcp"):
            if found.status == psutil.CONN_LISTEN and tuple(found.laddr)[1:] == (port,) and found.pid:
                return f"{psutil.Process(found.pid).name()} (process {found.pid})"
    except (psutil.Error, OSError) as error:
        log.info("the system does not tell who listens", port=port, error=str(error))
    return ""
