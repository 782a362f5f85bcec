"""What a table cannot say: one function for a program or a family, named in its table as `handler`.

A module is imported when the first program of its family is met: most lines need none or one of them.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from desktop.gate.shell.budget import loading

if TYPE_CHECKING:
    from desktop.gate.shell.operands import Operands
    from desktop.gate.shell.reading import Call
    from desktop.gate.shell.tables import Spec
    from desktop.gate.shell.words import Word

HANDLERS: dict[str, str] = {
    "awk": "awk:judge_awk",
    "cp": "files:judge_cp",
    "curl": "http:judge_curl",
    "dc": "scripts:judge_dc",
    "dd": "files:judge_dd",
    "editor": "editors:judge_editor",
    "env": "wrappers:judge_env",
    "fzf": "wrappers:judge_fzf",
    "find": "find:judge_find",
    "fd": "find:judge_fd",
    "git": "git:judge_git",
    "jq": "scripts:judge_jq",
    "httpie": "http:judge_httpie",
    "node": "javascript:judge_node",
    "mongosh": "javascript:judge_mongosh",
    "python": "python:judge_python",
    "pydoc": "python:judge_pydoc",
    "perl": "scripts:judge_perl",
    "rename": "scripts:judge_rename",
    "ruby": "scripts:judge_ruby",
    "php": "scripts:judge_php",
    "lua": "scripts:judge_lua",
    "sed": "sed:judge_sed",
    "set": "shells:judge_set",
    "shell": "shells:judge_shell",
    "eval": "shells:judge_eval",
    "source": "shells:judge_source",
    "trap": "shells:judge_trap",
    "alias": "shells:judge_alias",
    "command": "shells:judge_command",
    "powershell": "shells:judge_powershell",
    "cmd": "shells:judge_cmd",
    "psql": "sql:judge_psql",
    "mlr": "scripts:judge_mlr",
    "mysql": "sql:judge_mysql",
    "sqlite3": "sql:judge_sqlite",
    "ssh": "wrappers:judge_ssh",
    "ionice": "wrappers:judge_ionice",
    "tar": "files:judge_tar",
    "tee": "files:judge_tee",
    "truncate": "files:judge_truncate",
    "xargs": "wrappers:judge_xargs",
    "parallel": "wrappers:judge_parallel",
    "kill": "shells:judge_kill",
    "redis": "sql:judge_redis",
    "wget": "http:judge_wget",
    "yq": "scripts:judge_yq",
    "print": "shells:judge_print",
    "ansible": "cloud:judge_ansible",
    "awscli": "cloud:judge_aws",
}  # fmt: skip

# Subcommands: return True when nothing is left to the table.
SUB_HANDLERS: dict[str, str] = {
    "node-sub": "javascript:judge_deno_eval",
    "gh-api": "http:judge_gh_api",
    "az-rest": "http:judge_az_rest",
    "git-alias": "git:judge_alias",
    "git-checkout": "git:judge_checkout",
    "git-config": "git:judge_config",
    "git-push": "git:judge_push",
    "git-restore": "git:judge_restore",
    "git-stash": "git:judge_stash",
    "s3-cp": "cloud:judge_s3_copy",
}  # fmt: skip


@cache
def _function(place: str) -> Any:
    module, _, name = place.partition(":")
    with loading():
        return getattr(import_module(f"desktop.gate.shell.programs.{module}"), name)


def handle(call: Call, spec: Spec) -> None:
    """Let the function of a program's table judge it."""
    _function(HANDLERS[spec.handler])(call, spec)


def handle_sub(call: Call, found: Operands) -> bool:
    """The same for a subcommand. True when nothing is left to the table."""
    place = SUB_HANDLERS.get(found.spec.handler)
    return place is not None and bool(_function(place)(call, found))


def look_at_jq(call: Call, code: Word) -> None:
    """An option's value that is an expression of jq, which may show the environment."""
    _function("scripts:look_at_jq")(call, code)


def load_all() -> None:
    """Import every module now, so that no later line pays for it."""
    for place in (*HANDLERS.values(), *SUB_HANDLERS.values()):
        _function(place)
