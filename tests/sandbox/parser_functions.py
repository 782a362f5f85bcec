"""Parsing functions that behave as badly as a parser can; `test_parser` has the real child run them."""

from __future__ import annotations

import os
import signal
import socket
from pathlib import Path
from typing import Any

from desktop.sandbox.parser_child import ParseRefused


def count(source: Path, times: int = 1) -> dict[str, int]:
    return {"bytes": len(source.read_bytes()) * times}


def refuse(source: Path) -> None:
    raise ParseRefused("encrypted")


def stumble(source: Path) -> None:
    raise ValueError("half a \ud800 pair")


def recurse(source: Path) -> int:
    return recurse(source) + 1


def loop(source: Path) -> None:
    while True:
        pass


def eat_memory(source: Path) -> int:
    return len(b"x" * 8_000_000_000)


def crash(source: Path) -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def leave(source: Path) -> None:
    os._exit(0)


def talk_without_end(source: Path) -> str:
    return "x" * 2_000_000


def tell_no_json(source: Path) -> Any:
    return {1, 2}


def half_a_pair(source: Path) -> str:
    return "a\ud800b"


def write_beside(source: Path, where: str) -> str:
    """What became of an attempt to write to `where` and to open a connection."""
    done = []
    try:
        Path(where).write_text("escaped", encoding="utf-8")
        done.append("wrote")
    except OSError:
        done.append("no write")
    try:
        socket.create_connection(("127.0.0.1", 9), timeout=1).close()
        done.append("connected")
    except PermissionError:
        done.append("no socket")
    except OSError:
        done.append("a socket")
    return ", ".join(done)
