"""What the process does that is killed. It is forked, by `tests.plug.fork_server`."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from desktop.errors import UserFacing
from tests.plug.scenarios import BY_NAME

RAISED = 3


def ack(value: Any) -> None:
    """Past every buffer, so that what was promised is known even if the next instruction never runs."""
    os.write(1, b"ack " + json.dumps(value).encode() + b"\n")


def family(error: Exception) -> str:
    """What is shown to the user as it is, told from bugs and bare errors of the system."""
    return "UserFacing" if isinstance(error, UserFacing) else "Bug"


def main(name: str, folder: str, address: str) -> None:
    """Work until killed, or until the disk refuses: then the name of the error is told."""
    os.write(1, b"ready\n")
    try:
        BY_NAME[name].work(Path(folder), ack, address)
    except Exception as error:  # the edge of this process: what a user would have been told
        os.write(1, f"raised {family(error)} {type(error).__name__}: {error}\n".encode())
    os._exit(RAISED)
