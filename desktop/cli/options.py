"""Options that many verbs have."""

from __future__ import annotations

from typing import Annotated

import typer

JsonOption = Annotated[bool, typer.Option("--json", help="Print as JSON.")]
YesOption = Annotated[bool, typer.Option("--yes", help="Without asking.")]
