"""What is never done, in words: fixed rows of the page of rules. `shell/ruin.py` and `context.py` do it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Never:
    """One row; `code` is a line that it stops."""

    words: str
    code: str


NEVER = (
    Never("Removing the whole file system, a folder of the system or a whole home folder", code="rm -rf ~"),
    Never("Removing all that is found below one of them", code="find / -delete"),
    Never(
        "Moving one of them away, or emptying it by a copy that deletes", code="rsync -a --delete empty/ ~/"
    ),
    Never("Formatting, wiping or overwriting a disk", code="dd if=image of=/dev/sda"),
    Never("Changing owner or permissions of the whole system", code="chmod -R 000 /"),
    Never("Commands that start themselves again and again", code=":(){ :|:& };:"),
    Never(
        "Removing what Steward keeps, or the settings that hold its hooks", code="rm -rf ~/.config/steward"
    ),
)
