"""`steward addons`: back ends for graphics cards, added to a Steward that is installed already."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from desktop.engine.addons import AddOn, AddOns

addons = typer.Typer(help="What can be added to this Steward: CUDA, Vulkan.", no_args_is_help=True)

RESTART = "Restart Steward; `steward doctor` then says with what models compute."


@addons.command("add")
def addons_add(
    file: Annotated[
        Path, typer.Argument(exists=True, dir_okay=False, help="A file steward-…-addon-….tar.xz.")
    ],
) -> None:
    """Verify an add-on and unpack it; an older one of the same name is replaced."""
    added = _here().add(file, _show_progress if sys.stderr.isatty() else _show_nothing)
    sys.stdout.write(f"{_line(added)}\n{RESTART}\n")


@addons.command("list")
def addons_list(as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False) -> None:
    """The add-ons of this computer's user, and whether they fit."""
    found = _here().installed()
    if as_json:
        told = [_facts(one) for one in found]
        sys.stdout.write(json.dumps(told, ensure_ascii=False, indent=2) + "\n")
        return
    sys.stdout.writelines(f"{_line(one)}\n" for one in found)
    if not found:
        sys.stdout.write("No add-on is installed.\n")


@addons.command("remove")
def addons_remove(name: Annotated[str, typer.Argument(help="Its name, such as cuda.")]) -> None:
    """Remove an add-on; Steward computes with what came with it."""
    _here().remove(name)
    sys.stdout.write(f"{name} was removed. A Steward that runs uses it until it is restarted.\n")


def _here() -> AddOns:
    from desktop.engine.addons import AddOns  # other verbs do without

    return AddOns.here()


def _facts(one: AddOn) -> dict[str, object]:
    facts = asdict(one) | {"size_bytes": one.size_bytes, "misfit": str(one.misfit or "")}
    del facts["files"]
    return facts


def _line(one: AddOn) -> str:
    state = f"not used: {one.misfit}" if one.misfit else "fits"
    return f"{one.name} {one.version} ({one.size_bytes / 1e6:.0f} MB, {one.system}): {state}"


def _show_progress(done: int, size: int) -> None:
    share = done / size if size else 1.0
    sys.stderr.write(f"\r{share:4.0%}" + ("\n" if done >= size else ""))
    sys.stderr.flush()


def _show_nothing(_done: int, _size: int) -> None:
    """Nobody watches."""
