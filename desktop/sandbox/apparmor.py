"""Ubuntu lets a program make user namespaces only with a profile of AppArmor; the confining client's."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from desktop.paths import resources

SWITCH = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
PLACE = Path("/etc/apparmor.d/steward-confine-own")  # the package's has a name of its own
_HEAD = re.compile(r"^profile \S+ \S+", re.MULTILINE)


def restricts_namespaces() -> bool:
    """Whether this system holds ordinary users' programs to that rule."""
    return SWITCH.is_file() and SWITCH.read_text(encoding="ascii").strip() not in ("", "0")


def profile(client: Path) -> str:
    """For a client that lies elsewhere than the package puts it."""
    text = (resources() / "apparmor" / "steward-confine").read_text(encoding="utf-8")
    quoted = str(client).replace("\\", "\\\\").replace('"', '\\"')
    quoted = re.sub(r"([*?\[\]{}^@])", r"\\\1", quoted)  # no pattern: this one program
    text = text[text.index("abi ") :].replace("local/steward-confine", f"local/{PLACE.name}")
    return _HEAD.sub(lambda _: f'profile {PLACE.name} "{quoted}"', text)


def way_out(client: Path) -> str:
    """One sentence, with the command that an administrator can give."""
    if client.is_relative_to("/usr"):
        return "Install Steward's package again: it brings what AppArmor has to know."
    place = shlex.quote(str(PLACE))
    return (
        "Steward's package for Ubuntu brings what AppArmor has to know; for this copy: "
        f"steward confine --apparmor-profile | sudo tee {place} && sudo apparmor_parser -r {place}"
    )
