"""Reading the files off a patch."""

from __future__ import annotations

import pytest

from desktop.agents.patch import Patched, first_path, is_patch, patched
from desktop.gate.verdict import Effect

WHOLE = """*** Begin Patch
*** Add File: new.py
+*** not a heading
+x = 1
*** Update File: src/a.py
*** Move to: src/b.py
@@ def f():
-    old
+    new
 *** Delete File: not-a-heading-but-context
*** Delete File: gone.txt
*** End Patch
"""


def test_every_file_of_a_patch_is_found() -> None:
    """Made, changed, moved to, deleted; a line of the content that looks like a heading counts as one."""
    assert patched(WHOLE) == (
        Patched("new.py", Effect.CREATE),
        Patched("src/a.py", Effect.UPDATE),
        Patched("src/b.py", Effect.UPDATE),
        Patched("not-a-heading-but-context", Effect.DELETE),
        Patched("gone.txt", Effect.DELETE),
    )
    assert first_path(WHOLE) == "new.py"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "diff --git a/x b/x",
        "*** Begin Patch\n*** End Patch",
        "*** Begin Patch\n*** Rename File: a\n*** End Patch",
        "*** Begin Patch\n*** Update File: a\n***Delete File: b\n*** End Patch",
    ],
)
def test_what_is_not_understood_is_unknown(text: str) -> None:
    """No files are named, rather than some of them."""
    assert patched(text) is None
    assert first_path(text) == ""


def test_a_patch_is_known_by_its_first_line() -> None:
    """White space before it does not matter."""
    assert is_patch("\n  *** Begin Patch\n")
    assert not is_patch("x\n*** Begin Patch")
