"""`steward update`: asks once whether there is a newer version. Typing it is the leave to ask."""

from __future__ import annotations

import sys

from desktop import __version__
from desktop.app import Services


def look(core: Services) -> int:
    """Exit code 0 also where there is a newer one. Raises UserFacing."""
    release = core.updates.look()
    if release.is_newer:
        sys.stdout.write(f"Steward {release.version} is there; this is {__version__}. See {release.page}\n")
    else:
        sys.stdout.write(f"This is the newest version ({__version__}).\n")
    return 0
