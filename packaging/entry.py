"""Where the program of a bundle begins: its environment made clean for what it starts, then the command."""

import os
import sys


def give_back_environment() -> None:
    """Programs that we start must not load our libraries: PyInstaller's start-up put them on the search path.

    The loader has read the path already, so that nothing changes for this process.
    """
    before = os.environ.pop("LD_LIBRARY_PATH_ORIG", None)
    if before is None:
        os.environ.pop("LD_LIBRARY_PATH", None)
    else:
        os.environ["LD_LIBRARY_PATH"] = before
    for name in [name for name in os.environ if name.startswith("_PYI_")]:
        del os.environ[name]


give_back_environment()

from desktop.__main__ import main  # noqa: E402 - the environment comes first

sys.exit(main())
