"""git: what its table cannot say about settings before the verb, aliases, checkout, push and config."""

from __future__ import annotations

import re

from desktop.gate.reasons import GateReason
from desktop.gate.shell.operands import Operands, sort_words
from desktop.gate.shell.parser import MAX_CHARACTERS
from desktop.gate.shell.reading import DOES, Call, shown
from desktop.gate.shell.table_effects import apply
from desktop.gate.shell.tables import Spec
from desktop.gate.shell.words import Word
from desktop.gate.verdict import Effect, Flag

# Settings whose value git runs.
RUNS = re.compile(
    r"(?i)(?:core\.(?:pager|editor|sshcommand|fsmonitor|askpass|gitproxy|hookspath|attributesfile|alternaterefscommand|worktree)"
    r"|pager\..+|diff\.(?:external|.+\.(?:command|textconv))|merge\..+\.driver|filter\..+\.(?:clean|smudge|process)"
    r"|(?:diff|merge)tool\..+\.(?:cmd|path)|credential(?:\..+)?\.helper|gpg(?:\..+)?\.(?:program|defaultkeycommand)|sequence\.editor|interactive\.difffilter"
    r"|sendemail\..*(?:cmd|smtpserver)|uploadpack\.packobjectshook|remote\..+\.(?:uploadpack|receivepack|vcs|proxy)|url\..+\.insteadof"
    r"|help\.browser|man\.viewer|tar\..+\.command|http\.cookiefile|browser\..+\.(?:cmd|path)|man\..+\.(?:cmd|path)|web\.browser|trailer\..+\.(?:command|cmd)|include(?:if)?\..*|protocol\..*allow"
    r"|submodule\..+\.update|init\.templatedir|http\.proxy|ssh\.variant|instaweb\..+|receive\..+|log\.showsignature|extensions\..+|trace2\..+)"
)
# Where git keeps a repository; a folder of another name may be one that came as a file.
OWN_FOLDER = re.compile(r"^[\x01\x02]|(?:^|/)\.git(?:/(?:modules|worktrees)/.*)?/?$|^(?:~|/srv|/var)/")
PAGERS = re.compile(
    r"(?:cat|less|more|most|delta|bat|head|tail|diff-so-fancy|true|false|)(?:\s+-{1,2}[\w=+-]+)*"
)


# As an operand or as the value of an option: `archive --remote=ext::…`.
TRANSPORT = re.compile(r"(?:--?[\w-]+=)?(?:ext|fd)::")


def judge_git(call: Call, spec: Spec) -> None:
    found = sort_words(spec, call.arguments)
    for name, _, value in found.options:
        if name == "-C":
            call.reading.goes_to(value.text)
        elif name in ("--git-dir", "--work-tree"):
            call.reading.goes_to(None)
            if name == "--git-dir" and value.text and not OWN_FOLDER.search(value.text):
                call.found(
                    Effect.UNKNOWN,
                    GateReason.SETTINGS_MAY_NAME_PROGRAMS.of(text=shown(value.text)),
                    value,
                )
        if name == "-c":
            _setting(call, value)
        elif name in ("--exec-path", "--config-env") and value.text:
            call.found(Effect.UNKNOWN, GateReason.GIT_CHANGES_WHAT_GIT_RUNS.of(name=name), value)
    for word in call.arguments:
        if TRANSPORT.match(word.text):
            call.found(Effect.UNKNOWN, GateReason.GIT_RUNS_A_COMMAND_AS_A_TRANSPORT.of(), word)
    if found.lost is not None and _own_alias(call, found):
        return
    apply(call, found)


def _setting(call: Call, value: Word) -> None:
    """`-c name=value`: an alias has the class of its body, a setting that is run the class of its command."""
    name, equals, text = value.text.partition("=")
    if name.lower().startswith("alias.") or not RUNS.fullmatch(name):
        return
    if name.lower() in (
        "core.pager",
        "core.editor",
        "sequence.editor",
        "pager.log",
    ) or name.lower().startswith("pager."):
        if PAGERS.fullmatch(text) or text in ("true", "false", ":"):
            return
        call.shell(text, value)
        return
    if equals and (not text or text in ("false", "cat", "/dev/null", "''")):
        return
    call.found(Effect.UNKNOWN, GateReason.GIT_C_CHANGES_WHAT_GIT_RUNS.of(name=shown(name)), value)


def _own_alias(call: Call, found: Operands) -> bool:
    """A verb that a `-c alias.x=…` of this line defines."""
    verb = found.lost.text if found.lost is not None else ""
    for value in found.values("-c"):
        name, _, body = value.text.partition("=")
        if name.lower() == f"alias.{verb.lower()}":
            _alias_body(call, body, value, found.words[1:])
            return True
    return False


def _alias_body(call: Call, body: str, place: Word, rest: list[Word] | None = None) -> None:
    call.found(Effect.READ, GateReason.GIT_ALIAS.of(), place)
    if len(body) > MAX_CHARACTERS:
        call.found(Effect.UNKNOWN, GateReason.A_GIT_ALIAS_IS_TOO_LONG_TO_READ.of(), place)
        return
    if body.startswith("!"):
        call.shell(body[1:], place)
    elif body.strip():
        words = [place.but(text) for text in body.split()]
        call.argv([place.but("git"), *words, *(rest or [])])


# Settings that hold what git signs in with.
SIGN_IN_HEADER = re.compile(r"(?i)extra-?header|passw|token|cookie$|^\^?http\W*$")


def judge_config(call: Call, found: Operands) -> bool:
    """`git config`: one name reads, a value writes; an alias also has the class of its body."""
    words = found.words
    if words and any(SIGN_IN_HEADER.search(word.text) for word in words):
        call.flag(Flag.SECRET, GateReason.SHOWS_SECRETS.of(name="git config"), words[-1])
    if words and words[0].text in ("list", "get", "get-all", "get-regexp", "get-urlmatch", "get-color"):
        call.found(Effect.READ, GateReason.GIT_CONFIG_ONLY_SHOWS_SETTINGS.of())
        return True
    if words and words[0].text in ("unset", "remove-section"):
        call.found(Effect.DELETE, GateReason.GIT_CONFIG_REMOVES_A_SETTING.of())
        return True
    if words and words[0].text in ("set", "rename-section", "edit"):
        words = words[1:] or words
    if found.has(
        "--get",
        "--get-all",
        "--get-regexp",
        "--get-urlmatch",
        "-l",
        "--list",
        "--get-color",
        "--get-colorbool",
    ):
        call.found(Effect.READ, GateReason.GIT_CONFIG_ONLY_SHOWS_SETTINGS.of())
        return True
    if found.has("--unset", "--unset-all", "--remove-section"):
        call.found(Effect.DELETE, GateReason.GIT_CONFIG_REMOVES_A_SETTING.of())
        return True
    if (
        len(words) == 1
        and words[0].text not in ("edit",)
        and not found.has("-e", "--edit", "--add")
        and words is found.words
    ):
        call.found(Effect.READ, GateReason.GIT_CONFIG_ONLY_SHOWS_A_SETTING.of())
        return True
    call.found(Effect.UPDATE, GateReason.GIT_CONFIG_CHANGES_SETTINGS.of())
    if len(words) > 1 and words[0].text.lower().startswith("alias."):
        _alias_body(call, words[1].text, words[1])
    if words and re.search(r"(?i)hookspath|fsmonitor|sshcommand", words[0].text):
        call.flag(Flag.GATE, GateReason.GIT_CONFIG_CHANGES_WHICH_HOOKS_RUN.of(), words[0])
    return True


def judge_alias(call: Call, found: Operands) -> bool:
    """Commands handed to git verbs: rebase --exec, bisect run, submodule foreach, filter-branch."""
    words = found.words
    if found.path == ("bisect",):
        return _bisect(call, found)
    if found.path == ("submodule", "foreach"):
        call.found(Effect.READ, GateReason.RUNS_WHAT_FOLLOWS.of(name="git submodule foreach"))
        words = [word for word in words if word.text not in ("--recursive", "-q", "--quiet")]
        if words:
            call.shell(" ".join(word.text for word in words), words[0])
        return True
    if found.path == ("rebase",):
        for value in found.values("-x", "--exec"):
            call.shell(value.text, value)
    return False


def _bisect(call: Call, found: Operands) -> bool:
    words = found.words
    verb = words[0].text if words else ""
    if verb == "run":
        call.found(Effect.UPDATE, GateReason.GIT_BISECT_MOVES_THE_WORKING_TREE.of())
        call.argv(words[1:])
    elif verb in ("view", "visualize") and call.arguments[-1] is not words[0]:
        # Any verb of git's may stand there; options are those of its log.
        behind = call.arguments[call.arguments.index(words[0]) + 1 :]
        first = behind[0].text
        before = [] if first.startswith(("git", "tig")) else [call.word]
        if first.startswith("-"):
            before.append(call.word.but("log"))
        call.argv([*before, *behind])
    elif verb in ("log", "view", "visualize", "terms", ""):
        call.found(Effect.READ, GateReason.ONLY_SHOWS.of(name="git bisect"))
    else:
        call.found(Effect.UPDATE, GateReason.GIT_BISECT_MOVES_THE_WORKING_TREE.of())
    return True


NOT_PATHS = re.compile(
    r"(?:HEAD|origin|upstream|main|master|develop|dev|trunk|release|feature|fix|hotfix|bugfix|chore)(?:[/~^@-].*)?|[0-9a-f]{7,40}|v?\d[\d.]*|-|@\S*"
)
LOOKS_LIKE_PATH = re.compile(
    r"\.{1,2}$|\.{1,2}/.*|.*/$|.*[*?].*|(?:.*/)?[\w.-]*\.(?!\d)[A-Za-z]\w{0,9}$|:/.*|:\(.*"
)


def judge_checkout(call: Call, found: Operands) -> bool:
    """`git checkout`: a branch is an update, a path or -f loses uncommitted work."""
    if found.has("-b", "-B", "--orphan", "-t", "--track", "-c", "--create"):
        call.found(Effect.UPDATE if found.has("-B") else Effect.CREATE, GateReason.GIT_MAKES_A_BRANCH.of())
        if not found.has("-f", "--force"):
            return True
    dashes = [word.text for word in call.arguments]
    paths = "--" in dashes and dashes[-1] != "--"
    paths = paths or found.has("--ours", "--theirs", "-p", "--patch", "--pathspec-from-file")
    words = found.words
    last = words[-1].text if words else ""
    if found.path == ("checkout",):
        paths = (
            paths or len(words) > 1 or bool(LOOKS_LIKE_PATH.fullmatch(last) and not NOT_PATHS.fullmatch(last))
        )
    if paths and dashes[-1] != "--":
        call.found(Effect.DELETE, GateReason.GIT_CHECKOUT_LOSES_WORK.of())
        for word in named_paths(call, found):
            call.reading.touches(word)
    elif found.has("-f", "--force", "--discard-changes"):
        call.found(Effect.DELETE, GateReason.GIT_LOSES_UNCOMMITTED_WORK_WHEN_FORCED.of())
    else:
        call.found(Effect.UPDATE, GateReason.GIT_SWITCHES_THE_WORKING_TREE.of())
    return True


def named_paths(call: Call, found: Operands) -> list[Word]:
    """Operands behind `--`; without it all, of which the first may be a commit: that one is no path here."""
    texts = [word.text for word in call.arguments]
    if "--" in texts:
        return call.arguments[texts.index("--") + 1 :]
    return [word for word in found.words if not NOT_PATHS.fullmatch(word.text)]


def judge_restore(call: Call, found: Operands) -> bool:
    staged = found.has("-S", "--staged")
    worktree = found.has("-W", "--worktree")
    if staged and not worktree:
        call.found(Effect.UPDATE, GateReason.GIT_RESTORE_STAGED_ONLY_UNSTAGES.of())
    else:
        call.found(Effect.DELETE, GateReason.GIT_RESTORE_LOSES_UNCOMMITTED_WORK.of())
        for word in found.words:
            call.reading.touches(word)
    return True


def judge_push(call: Call, found: Operands) -> bool:
    for value in found.values("--receive-pack", "--exec"):  # in a rehearsal too
        call.shell(value.text, value)
    if found.has("-n", "--dry-run"):
        call.found(Effect.READ, GateReason.CHANGES_NOTHING.of(name="git push --dry-run"))
        return True
    removing = [word for word in found.words if re.match(r":[^/]|\+", word.text)]
    forced = found.has("-f", "--force", "-d", "--delete", "--mirror", "--prune") or any(
        option.startswith("--force")
        for option in [name for name, _, _ in found.options] + [word.text for word in found.unknown]
    )
    if removing or forced:
        call.found(Effect.DELETE, GateReason.GIT_PUSH_OVERWRITES.of(), removing[0] if removing else None)
    else:
        call.found(Effect.UPDATE, GateReason.GIT_PUSH_UPDATES_A_REMOTE.of())
    call.flag(Flag.SENDS, GateReason.GIT_PUSH_SENDS_COMMITS.of())
    return True


def judge_stash(call: Call, found: Operands) -> bool:
    words = found.words
    verb = words[0].text if words and not words[0].text.startswith("-") else "push"
    effect = {
        "list": Effect.READ,
        "show": Effect.READ,
        "drop": Effect.DELETE,
        "clear": Effect.DELETE,
        "create": Effect.CREATE,
        "branch": Effect.CREATE,
    }.get(verb, Effect.UPDATE)
    call.found(effect, DOES[effect].of(name=f"git stash {shown(verb, 20)}"))
    return True
