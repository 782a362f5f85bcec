"""A pytest plugin, `pytest -p tests.bytecode`: what pytest compiles is kept for the runs beside and after.

A run starts the program some hundred times. Where the environment asks Python to keep no bytecode, each
start would compile the program anew, a third of what it costs, and each lane all tests and, before it reads
the first of them, the 120 modules of hypothesis, in which pytest rewrites the assertions. So this is loaded
before other plugins. Only this process keeps what it compiles, beside the sources; what the tests start is
left as it was asked to be, and reads what lies there.
"""

from __future__ import annotations

import sys

sys.dont_write_bytecode = False
