"""What PySide does at every import, and how it is kept from doing it.

PySide can switch its own names module by module (`from __feature__ import snake_case`). To know which modules
that may concern, it reads the source of each module that is imported after it and looks for its name in
there; `linecache` keeps what was read. Nobody here uses the switch. It cost 12 MB for as long as the program
runs, and the time to read four hundred files at every start.
"""

from __future__ import annotations

import linecache
import sys
from types import ModuleType

FEATURES = "shibokensupport.feature"


def read_no_sources() -> bool:
    """Answer PySide's question without a look at the source. To be called before most imports, on the main
    thread; False where this version of PySide asks in another way, and all goes on as PySide means it to.
    """
    import PySide6.QtCore  # noqa: F401 - brings the module that asks

    features = sys.modules.get(FEATURES)
    if features is None or not hasattr(features, "_mod_uses_pyside"):
        return False
    # Every module is one that may use PySide, with no feature switched on: what it is without the switch.
    vars(features)["_mod_uses_pyside"] = _may_use_pyside
    linecache.clearcache()  # what was read until here, `enum` among it
    return True


def _may_use_pyside(_module: ModuleType) -> bool:
    return True
