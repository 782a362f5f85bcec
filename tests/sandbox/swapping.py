"""Another process that swaps things for links, as fast as it can, while a test works on their names."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# A process, because threads of one interpreter take turns. RENAME_EXCHANGE (2) swaps in one step, so that
# there is no moment in which the name is missing.
CODE = """
import ctypes, os, sys
libc = ctypes.CDLL(None)
names = [os.fsencode(each) for each in sys.argv[2:]]
pairs = list(zip(names[::2], names[1::2]))
print("ready", flush=True)
while os.getppid() == int(sys.argv[1]):
    for one, other in pairs:
        libc.renameat2(-100, one, -100, other, 2)
"""


@contextmanager
def swapping(*pairs: tuple[Path, Path]) -> Iterator[None]:
    """While the context lasts each two names change places, over and over. Linux only."""
    names = [str(name) for pair in pairs for name in pair]
    command = [sys.executable, "-I", "-S", "-c", CODE, str(os.getpid()), *names]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    try:
        yield
    finally:
        process.kill()
        process.communicate()
