"""aws by verb and by where it copies to; ansible by module."""

from __future__ import annotations

import re

from desktop.gate.reasons import GateReason
from desktop.gate.shell.operands import Operands, sort_words
from desktop.gate.shell.reading import Call
from desktop.gate.shell.table_effects import apply
from desktop.gate.shell.tables import Spec
from desktop.gate.verdict import Effect, Flag


def judge_aws(call: Call, spec: Spec) -> None:
    """An operation that writes its answer to a file names it last: `aws s3api get-object … FILE`."""
    found = sort_words(spec, call.arguments)
    if found.has("--generate-cli-skeleton") or "help" in [word.text for word in call.arguments[:3]]:
        call.found(Effect.READ, GateReason.AWS_ONLY_SHOWS_A_FORM.of())
        return
    if found.has("--dry-run", "--dryrun"):
        call.found(Effect.READ, GateReason.CHANGES_NOTHING_IN_A_DRY_RUN.of(name="aws"))
        return
    apply(call, found)


def judge_s3_copy(call: Call, found: Operands) -> bool:
    """s3 cp: the target decides; - is standard output."""
    words = found.words
    if found.has("--dryrun"):
        call.found(Effect.READ, GateReason.CHANGES_NOTHING_IN_A_DRY_RUN.of(name="aws s3"))
        return True
    target = words[-1] if len(words) > 1 else None
    if target is not None and target.text == "-":
        call.found(Effect.READ, GateReason.AWS_S3_CP_PRINTS_AN_OBJECT.of())
        return True
    if target is not None and target.text.startswith("s3://"):
        call.found(Effect.CREATE, GateReason.AWS_S3_CP_MAKES_AN_OBJECT.of(), target)
        if not words[0].text.startswith("s3://"):
            call.flag(Flag.SENDS, GateReason.AWS_S3_CP_UPLOADS.of(), words[0])
            call.reading.reads(words[0])
    elif target is not None:
        call.writes(target)
    call.found(Effect.CREATE, GateReason.MAKES_COPIES.of(name="aws s3 cp"))
    return True


ANSIBLE = {
    **dict.fromkeys(
        [
            "ping",
            "setup",
            "gather_facts",
            "debug",
            "stat",
            "find",
            "slurp",
            "assert",
            "fail",
            "wait_for",
            "getent",
            "package_facts",
            "service_facts",
        ],
        Effect.READ,
    ),
    **dict.fromkeys(["fetch", "get_url", "git", "unarchive"], Effect.CREATE),
    **dict.fromkeys(
        [
            "copy",
            "template",
            "file",
            "lineinfile",
            "blockinfile",
            "replace",
            "service",
            "systemd",
            "user",
            "group",
            "apt",
            "yum",
            "dnf",
            "package",
            "pip",
            "cron",
        ],
        Effect.UPDATE,
    ),
    "reboot": Effect.DELETE,
}


LOOKS_UP = re.compile(r"\b(?:lookup|query|q)\s{0,20}\(")  # a template, which is computed here
# Variables of a file are templates, too; some name the programs that are run; an inventory may be a program.
UNSEEN = re.compile(r"@|.*\bansible_\w{1,60}[\"']?\s{0,5}[:=]|.*\.(?:py|sh)$", re.DOTALL)


def judge_ansible(call: Call, spec: Spec) -> None:
    """Ad-hoc commands: the module decides, `command` and `shell` run what -a says."""
    found = sort_words(spec, call.arguments)
    for given in found.values("-e", "--extra-vars", "-i", "--inventory"):
        if UNSEEN.match(given.text):
            call.found(Effect.UNKNOWN, GateReason.ANSIBLE_RUNS_THE_MODULE.of(name="ansible"), given)
    if found.has("--list-hosts", "--version", "-C", "--check"):
        call.found(Effect.READ, GateReason.CHANGES_NOTHING.of(name="ansible"))
        return
    modules = found.values("-m", "--module-name") or [call.word.but("command")]
    name = modules[-1].text.rpartition(".")[2]
    arguments = found.values("-a", "--args")
    if name in ("command", "shell", "raw") and arguments:
        call.shell(arguments[-1].text, arguments[-1])
        call.found(Effect.READ, GateReason.RUNS_WHAT_IS_SPELLED_OUT.of(name="ansible"))
    elif "state=absent" in "".join(word.text for word in arguments):
        call.found(Effect.DELETE, GateReason.ANSIBLE_REMOVES.of(name=name), arguments[-1])
    elif any(LOOKS_UP.search(word.text) for word in call.arguments):
        call.found(Effect.UNKNOWN, GateReason.ANSIBLE_RUNS_THE_MODULE.of(name=name))
    else:
        call.found(
            ANSIBLE.get(name, Effect.UNKNOWN), GateReason.ANSIBLE_RUNS_THE_MODULE.of(name=name), modules[-1]
        )
