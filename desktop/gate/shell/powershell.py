"""PowerShell: cmdlets by verb, aliases, methods; programs go to the same tables."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING

from desktop.gate.reasons import GateReason
from desktop.gate.shell import never, parser
from desktop.gate.shell.data_words import lists_names
from desktop.gate.shell.network import hosts_named
from desktop.gate.shell.places import SECRET_VARIABLE, SINKS, is_found_below, looks_local
from desktop.gate.shell.reading import DOES, Argv, Piece, Reading, shown
from desktop.gate.shell.simple_command import judge
from desktop.gate.shell.tables import vocabulary
from desktop.gate.shell.variables import check
from desktop.gate.shell.words import ANY_MARK, GIVEN, LOOSE, NAMES, OPAQUE, OUTPUT, VARIABLE, Word
from desktop.gate.verdict import Effect, Flag, Network

if TYPE_CHECKING:
    from tree_sitter import Node

LISTS = vocabulary("powershell")
ON_FILES = re.compile(r"-(?:item|content|itemproperty|acl|archive|file)$")
# The grammar reads `Name ,Length`, not `Name, Length`; quoted text stays.
COMMA = re.compile(
    r"""('[^']*'|"(?:`.|[^"`])*"|\#[^\n]*)|(?<=[\w*]),([ \t]{1,200})(?=[A-Za-z.\\/*~])""", re.DOTALL
)
SIZE = re.compile(r"\b(\d+)[kmgtpKMGTP][bB]\b")

FOLDERS = {
    "home": "~",
    "env:userprofile": "~",
    "env:home": "~",
    "env:systemdrive": "C:",
    "env:homedrive": "C:",
    "env:systemroot": "C:/Windows",
    "env:windir": "C:/Windows",
}
FOLDER = re.compile(rf"(?i)\$({'|'.join(FOLDERS)})(?=[\\/])")


# Lines of files that go through a pipe or a loop.
LINES = (
    r"(?:get-content|gc|cat|type|import-csv|convertfrom-json|convertfrom-csv|select-string|sls|irm|iwr"
    r"|invoke-\w{1,20})"
)
LOOP = re.compile(
    rf"(?i)foreach\s{{0,20}}\(\s{{0,20}}\$(\w{{1,80}})\s{{1,20}}in\s{{1,20}}\(?\s{{0,20}}{LINES}\b"
)
READS_LINES = re.compile(rf"(?i)(?:^|[;|({{=&\s]){LINES}\b[^;\n]{{0,400}}?\|")
BRANCHES = re.compile(r"[{}]|&&|\|\|")


class PowerShellTree:
    """One text and its tree."""

    def __init__(self, piece: Piece, reading: Reading) -> None:
        # The grammar does not know 1MB; digits of the same length say as much here.
        text = SIZE.sub(lambda found: found[1] + "00", piece.text)
        # Nor a path that begins with a variable; slashes of no meaning keep its length.
        text = FOLDER.sub(lambda found: FOLDERS[found[1].lower()].ljust(len(found[0]), "/"), text)
        text = COMMA.sub(lambda found: found[1] or f"{found[2]},", text)
        self.source = text.encode("utf-8", "surrogatepass")
        self.piece = piece
        self.reading = reading
        self.functions: set[str] = set()
        # Variables that hold what a command printed, and what stands for it.
        self.printed = {found[1].lower(): OUTPUT for found in LOOP.finditer(text)}
        if READS_LINES.search(text):
            self.printed["_"] = OUTPUT
        self.branches = BRANCHES.search(text) is not None  # parts of it may not run, or run elsewhere
        self.root = parser.parse(parser.powershell(), self.source, may_miss=" ")

    def text(self, node: Node) -> str:
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def word(self, node: Node, text: str | None = None) -> Word:
        start, end = self.piece.start, self.piece.end
        if self.piece.offset is not None:
            start, end = node.start_byte + self.piece.offset, node.end_byte + self.piece.offset
        return Word(self.text(node) if text is None else text, start, end)


def read_powershell(piece: Piece, reading: Reading) -> None:
    """Look at every command, method call and redirection. Raises Unreadable."""
    parser.check_size(piece.text, "powershell")
    tree = PowerShellTree(piece, reading)
    waiting = [tree.root]
    while waiting:
        node = waiting.pop()
        kind = node.type
        if kind == "command":
            on_command(tree, node)
        elif kind == "invokation_expression":
            on_method(tree, node)
        elif kind == "redirection":
            on_redirection(tree, node)
        elif kind == "pipeline" and node.parent is not None and node.parent.type == "statement_list":
            on_value(tree, node)
        elif kind == "string_literal":
            reading.visits(tree.word(node, tree.text(node).strip("'\"")))
        elif kind == "assignment_expression":
            on_assignment(tree, node)
        elif kind == "function_statement":
            tree.functions.add(tree.text(node.named_children[0]).lower())
        elif kind in ("class_statement", "inlinescript_statement", "data_statement"):
            reading.found(Effect.UNKNOWN, GateReason.DEFINES_CODE_THAT_IS_NOT_FOLLOWED.of(), tree.word(node))
        waiting.extend(reversed(node.children))
    reading.found(Effect.READ, GateReason.ONLY_COMPUTES_AND_PRINTS.of(), tree.word(tree.root, ""))


ENVIRONMENT = re.compile(r"(?i)\$\{?env:(\w+)")


def on_value(tree: PowerShellTree, node: Node) -> None:
    """A value that stands alone is printed."""
    if _has(node, "command") or _has(node, "assignment_expression"):
        return
    if any(SECRET_VARIABLE.search(name) for name in ENVIRONMENT.findall(tree.text(node))):
        reason = GateReason.SHOWS_A_VARIABLE_WITH_SECRETS.of(name=shown(tree.text(node)))
        tree.reading.flag(Flag.SECRET, reason, tree.word(node))


def unquoted(text: str, printed: Mapping[str, str] = MappingProxyType({})) -> str:
    """A word without its quotes; variables are marked, and those in `printed` as what a command prints."""
    if len(text) > 1 and text[0] == "'" == text[-1]:
        return text[1:-1].replace("''", "'")
    if len(text) > 1 and text[0] == '"' == text[-1]:
        text = text[1:-1].replace('""', '"')
    text = re.sub(r"`(.)", r"\1", text)
    text = re.sub(r"(?i)^\$(?:HOME|env:USERPROFILE)$", "~", text)
    text = re.sub(r"\$\([^)]*\)", OUTPUT, text)

    def mark(found: re.Match[str]) -> str:
        name = found[0].strip("${}").partition(".")[0].lower()
        return printed.get(name, VARIABLE)

    return re.sub(r"\$(?:\{[^}]*\}|[\w:]+(?:\.\w+)*)", mark, text)


# The grammar takes `1..5` for the name of a program.
RANGE = re.compile(r"\d{1,9}\.\.(?:-?\d{1,9}|\$\w{1,60})")


def on_command(tree: PowerShellTree, node: Node) -> None:
    name_node = node.child_by_field_name("command_name")
    operator = next((child for child in node.children if child.type == "command_invokation_operator"), None)
    if name_node is None:
        tree.reading.found(Effect.UNKNOWN, GateReason.RUNS_WHAT_AN_EXPRESSION_GIVES.of(), tree.word(node))
        return
    name = unquoted(tree.text(name_node))
    if operator is not None and tree.text(operator) == "." and not name.lower().endswith("activate.ps1"):
        tree.reading.found(Effect.UNKNOWN, GateReason.RUNS_TEXT.of(text=shown(name)), tree.word(node))
        return
    words = arguments(tree, node)
    _goes_on(tree, node)
    for word in words:
        tree.reading.visits(word)
    if operator is None and not words and RANGE.fullmatch(tree.text(name_node)):
        tree.reading.found(Effect.READ, GateReason.ONLY_READS.of(name=name), tree.word(node))
        return
    run(tree, tree.word(name_node, name), words)
    before = node.prev_named_sibling
    if before is not None and before.type == "command":
        takes_over(tree, before, ALIASES.get(name.lower(), name.lower()), words)


# Behind `--%` the grammar takes the whole line; PowerShell goes on behind a pipe or an ampersand.
GOES_ON = re.compile(r"[|&]+")
OF_WINDOWS = re.compile(r"%[^%\s]{1,60}%")


def _verbatim(text: str) -> str:
    """The words behind `--%`, which the program gets as they stand but for quotes and variables."""
    given = GOES_ON.split(text.removeprefix("--%"), maxsplit=1)[0]
    return OF_WINDOWS.sub(VARIABLE, given.replace('"', ""))


def _goes_on(tree: PowerShellTree, node: Node) -> None:
    """What stands behind the words that are not read, in quotes too: nobody needs to know how they end."""
    elements = node.child_by_field_name("command_elements")
    for child in elements.children if elements is not None else ():
        rest = GOES_ON.split(tree.text(child), maxsplit=1)[1:] if child.type == "stop_parsing" else []
        if rest and rest[0].strip():
            tree.reading.shell(rest[0], tree.word(child), tree.piece.nesting, tree.piece.scope, "powershell")


def arguments(tree: PowerShellTree, node: Node) -> list[Word]:
    """The words behind a command's name."""
    elements = node.child_by_field_name("command_elements")
    words: list[Word] = []
    is_joined = False  # `-WhatIf:$false` is one word
    for child in elements.children if elements is not None else ():
        text = tree.text(child)
        if child.type == "command_argument_sep":
            is_joined = text == ":"
        elif child.type == "stop_parsing":
            words += [tree.word(child, each) for each in _verbatim(text).split()]
        elif child.is_named and child.type != "redirection":
            if is_joined and words:
                words[-1] = words[-1].but(f"{words[-1].text}:{text}")
            else:
                words.append(tree.word(child, unquoted(text.lstrip(","), tree.printed)))
            is_joined = False
    return words


def what_is_printed(tree: PowerShellTree, node: Node) -> str:
    """What stands for the output of the commands in an expression."""
    waiting, commands = [node], 0
    while waiting:
        each = waiting.pop()
        if each.type == "command":
            commands += 1
            name = each.child_by_field_name("command_name")
            words = [tree.text(name) if name is not None else "", *(w.text for w in arguments(tree, each))]
            program = ALIASES.get(words[0].lower(), words[0].lower())
            if program not in LISTERS and not lists_names(words):
                return OUTPUT
        waiting.extend(each.children)
    return OUTPUT + NAMES if commands else OUTPUT


ALL_VARIABLES = re.compile(r"(?i)env:[\\/]?\*?")
LISTERS = frozenset({"get-childitem", "get-item"})
NARROWS = re.compile(r"(?i)-(?:fi|inc|exc|dep|dir|fil|hid|att)")


def takes_over(tree: PowerShellTree, before: Node, cmdlet: str, words: list[Word]) -> None:
    """`Get-ChildItem C:\\ | Remove-Item`: what the stage before lists is what is removed."""
    lister = before.child_by_field_name("command_name")
    listed = arguments(tree, before)
    name = tree.text(lister).lower() if lister is not None else ""
    is_all = ALIASES.get(name, name) in LISTERS and not any(NARROWS.match(word.text) for word in listed)
    if is_all and all(word.text.startswith("-") for word in words):
        never.look(tree.reading, cmdlet, listed, cmdlet_effect(cmdlet, words) or Effect.READ)


def run(tree: PowerShellTree, name: Word, words: list[Word]) -> None:
    """A command by its name: a function of the text, a cmdlet, an alias, or a program."""
    reading = tree.reading
    # `.\\ls` is the project's own, whatever it is called.
    is_local = looks_local(name.text)
    lower = name.text.lower() if is_local else name.text.lower().rpartition("\\")[2]
    if name.text.startswith("{"):
        return  # & { … }: its commands are visited
    if lower in tree.functions:
        reading.found(Effect.READ, GateReason.FUNCTION_OF_THE_LINE.of(name=lower), name)
        return
    cmdlet = ALIASES.get(lower, lower)
    # Windows' own PowerShell calls its cmdlet by these names.
    if lower in ("curl", "wget") and any(WEB_ONLY.match(word.text) for word in words):
        cmdlet = "invoke-webrequest"
    if ANY_MARK.search(cmdlet):
        reading.found(Effect.UNKNOWN, GateReason.UNTOLD_PROGRAM.of(text=shown(name.text)), name)
    elif "-" in cmdlet and not is_local and (effect := cmdlet_effect(cmdlet, words)) is not None:
        _is_step(tree, cmdlet, words)
        use_cmdlet(tree, name, cmdlet, effect, words)
    else:
        if lower == "sort.exe" and any(word.text.lower().startswith("/o") for word in words):
            reading.found(Effect.CREATE, GateReason.SORT_O_WRITES_A_FILE.of(), name)
        words = [word.but(_as_given(word.text)) for word in words]
        judge(Argv([name, *words], tree.piece.nesting, tree.piece.scope), reading)


EXPRESSION = re.compile(r"[$@]?\(\s{0,20}([A-Za-z%?].*)\)", re.DOTALL)


def _as_given(text: str) -> str:
    """A word of a program: what an expression or a variable gives may be several words."""
    found = EXPRESSION.fullmatch(text)
    if found is None:
        return GIVEN.sub(OUTPUT + LOOSE, text)
    inner = found[1].split()
    program = ALIASES.get(inner[0].lower(), inner[0].lower())
    is_names = (program in LISTERS or lists_names(inner)) and not re.search(r"[|;{(]", found[1])
    return OUTPUT + (NAMES if is_names else LOOSE)


WEB_ONLY = re.compile(r"(?i)-(?:me|cu|bo|inf|outf|ur|us|form)[a-z]{0,20}$")


def use_cmdlet(tree: PowerShellTree, name: Word, cmdlet: str, effect: Effect, words: list[Word]) -> None:
    reading = tree.reading
    if cmdlet in ON_NETWORK:
        _on_network(reading, name, words)
    reading.takes_part([name.but(cmdlet), *words])
    _may_show_secrets(reading, name, cmdlet, words)
    # A cmdlet that is not there yet is looked for in the modules of that folder.
    if (
        reading.armed is not None
        and cmdlet not in CMDLETS
        and "psmodulepath" in reading.armed[1].text.lower()
    ):
        reading.found(Effect.UNKNOWN, *reading.armed)
    _signs_in(reading, name, cmdlet, words)
    _reads_below(reading, name, cmdlet, words)
    for word in words:
        # Here a backslash stands between folders, and what is no pattern of text may be one of paths.
        reading.reads(word.but(word.text.replace("\\", "/")) if cmdlet in SHOW_FILES else word)
        if effect >= Effect.CREATE and not word.text.startswith("-"):
            (reading.touches if ON_FILES.search(cmdlet) else reading.guards)(word)
    if cmdlet == "invoke-expression" and words:
        text = " ".join(word.text for word in words if not word.text.startswith("-"))
        if ANY_MARK.search(text) or "(" in text:
            reading.found(Effect.UNKNOWN, GateReason.INVOKE_EXPRESSION.of(), name)
        else:
            reading.shell(text, words[0], tree.piece.nesting, tree.piece.scope, "powershell")
        effect = Effect.READ
    if cmdlet in ("invoke-webrequest", "invoke-restmethod") and effect is not Effect.READ:
        reading.flag(Flag.SENDS, GateReason.SENDS_DATA.of(name=name.text), name)
    if cmdlet in LISTERS and any(ALL_VARIABLES.fullmatch(word.text) for word in words):
        reading.flag(Flag.SECRET, GateReason.SHOWS_ALL_VARIABLES_ALSO_TOKENS.of(name=name.text), name)
    if cmdlet == "out-file" and any(word.text in SINKS for word in words):
        effect = Effect.READ
    reading.found(effect, DOES[effect].of(name=name.text), name)
    never.look(reading, cmdlet, words, effect)


SHOW_FILES = frozenset({"get-content", "import-csv", "import-clixml", "format-hex"})
RECURSE = re.compile(r"(?i)-r(?:ecurse|ecurs|ecur|ecu|ec|e)?(?::\$true)?|-depth|-s")
CHOOSES = re.compile(r"(?i)-(?:fi|in)[a-z]*")


def _reads_below(reading: Reading, name: Word, cmdlet: str, words: list[Word]) -> None:
    """What goes through a home folder, by itself or for another cmdlet, goes through the secrets in it."""
    places = [word for word in words if word.text[:1] != "-"]
    if cmdlet in SHOW_FILES or cmdlet == "select-string":
        for word in places:
            if reading.takes_in_secrets(word.text):
                code = GateReason.READS_ALL_BELOW
                reading.flag(Flag.SECRET, code.of(name=name.text, text=shown(word.text)), word)
        # It gets its files from the pipe, or from a loop.
        if len(places) <= (cmdlet == "select-string") or not all(word.fixed for word in places):
            reading.unnamed = reading.unnamed or name
    if cmdlet != "get-childitem" or not any(RECURSE.fullmatch(word.text) for word in words):
        return
    names = [word.text for before, word in pairwise(words) if CHOOSES.fullmatch(before.text)]
    # A star alone chooses nothing.
    if names and not any(is_found_below(each) or not each.strip("*.") for each in names):
        return
    places = [word for word in places if word.text not in names]
    for word in places or [name.but(".")]:
        if reading.takes_in_secrets(word.text):
            reading.listed_secret = reading.listed_secret or word


# These ask another computer without signing in there.
ASKS_THE_NETWORK = frozenset({"test-connection", "test-netconnection", "resolve-dnsname", "invoke-command"})
ANOTHER_COMPUTER = re.compile(r"(?i)-(?:comp[a-z]*|cn|cims[a-z]*|server)(?::(.*))?")
THIS_COMPUTER = frozenset({"", ".", "localhost", "127.0.0.1", "::1", "$env:computername"})


def _signs_in(reading: Reading, name: Word, cmdlet: str, words: list[Word]) -> None:
    """Windows signs in to the computer that an option names, as with a path."""
    if cmdlet in ASKS_THE_NETWORK:
        return
    for option, value in zip(words, [*words[1:], name.but("")], strict=False):
        given = ANOTHER_COMPUTER.fullmatch(option.text)
        if given is not None and (given[1] or value.text).strip("'\"").lower() not in THIS_COMPUTER:
            reading.flag(Flag.SENDS, GateReason.SENDS_CREDENTIALS.of(name=name.text), option)


LOCATIONS = frozenset({"set-location", "push-location", "pop-location"})


def _is_step(tree: PowerShellTree, cmdlet: str, words: list[Word]) -> None:
    """A cmdlet among the steps. Behind one that goes elsewhere relative paths lie there.

    Where a branch or a block goes, the rest may not be.
    """
    if cmdlet not in LOCATIONS:
        with tree.reading.step((cmdlet, *(word.text for word in words))):
            return
    targets = [word.text.replace("\\", "/") for word in words if word.text[:1] != "-"]
    with tree.reading.step(("cd", *targets)):
        pass
    is_told = len(targets) == 1 and cmdlet != "pop-location" and not tree.branches
    if len(targets) == 1:
        tree.reading.may_go_to(targets[0])
    tree.reading.goes_to(targets[0] if is_told else None)


SHOWS = LISTS.section("secrets").words("nouns")
SHOWN_BY = LISTS.section("secrets").words("options")
PRINTS = re.compile(r"(?:write|out|tee)-")
NAMED_VARIABLE = re.compile(r"(?i)env:[\\/]?(.*)", re.DOTALL)


def _may_show_secrets(reading: Reading, name: Word, cmdlet: str, words: list[Word]) -> None:
    """Vaults, tokens and what was typed or copied, by a cmdlet's name; variables by theirs."""
    verb, _, noun = cmdlet.partition("-")
    texts = [word.text.lower() for word in words]
    # This one asks the user for it.
    by_name = cmdlet != "get-credential" and verb in ("get", "read", "show", "find", "export", "receive")
    if (by_name and any(noun.endswith(each) for each in SHOWS)) or not SHOWN_BY.isdisjoint(texts):
        reading.flag(Flag.SECRET, GateReason.SHOWS_SECRETS.of(name=name.text), name)
    for word, text in zip(words, texts, strict=True):
        variable = NAMED_VARIABLE.fullmatch(text)
        is_named = variable is not None and (SECRET_VARIABLE.search(variable[1]) or "*" in variable[1])
        if is_named or (
            PRINTS.match(cmdlet) and "env:" in text + reading.source.lower() and reading.shows_secret(word)
        ):
            reading.flag(Flag.SECRET, GateReason.SHOWS_A_VARIABLE_WITH_SECRETS.of(name=name.text), word)
        elif "historysavepath" in text:
            reading.flag(Flag.SECRET, GateReason.MAY_HOLD_SECRETS.of(name=shown(word.text)), word)


TABLE_OF_OUTPUT = re.compile(r"@\{[^}]*(?:=\s*[$@]?\(|\$\()")


def _on_network(reading: Reading, name: Word, words: list[Word]) -> None:
    reading.connects(Network.USES, hosts_named(words))
    for word in words:
        if OUTPUT in word.text or word.text.startswith("(") or TABLE_OF_OUTPUT.match(word.text):
            reason = GateReason.SENDS_WHAT_ANOTHER_COMMAND_PRINTED.of(name=name.text)
            reading.flag(Flag.SENDS, reason, word)


def on_method(tree: PowerShellTree, node: Node) -> None:
    """[Type]::Method() and $value.Method(): known harmless ones, else unknown or what they say."""
    target, member = (
        node.named_children[0],
        next((c for c in node.named_children if c.type == "member_name"), None),
    )
    method = tree.text(member).lower() if member is not None else ""
    static = target.type == "type_literal"
    type_name = tree.text(target).strip("[]").lower().removeprefix("system.") if static else ""
    if type_name == "environment" and method.startswith("getenvironmentvariable"):
        _on_variables(tree, node, method)
    effect = METHODS.get((type_name, method), METHODS.get(("", method)))
    asks_others = type_name == "net.dns" or method.startswith(("download", "openread"))
    if asks_others and any(_has(node, kind) for kind in ("command", "invokation_expression")):
        reason = GateReason.SENDS_WHAT_ANOTHER_COMMAND_PRINTED.of(name=shown(method))
        tree.reading.flag(Flag.SENDS, reason, tree.word(node))
    if effect is None:
        effect = Effect.READ if static and type_name in SAFE_TYPES else Effect.UNKNOWN
    tree.reading.found(effect, GateReason.CALLS_TEXT.of(text=shown(tree.text(node), 40)), tree.word(node))


def _on_variables(tree: PowerShellTree, node: Node, method: str) -> None:
    if method.endswith("s") or SECRET_VARIABLE.search(tree.text(node).rpartition("(")[2].strip("'\") ")):
        reason = GateReason.SHOWS_ALL_VARIABLES_ALSO_TOKENS.of(name=shown(tree.text(node), 40))
        tree.reading.flag(Flag.SECRET, reason, tree.word(node))


def on_redirection(tree: PowerShellTree, node: Node) -> None:
    target = next((child for child in node.named_children if child.type == "redirected_file_name"), None)
    if target is None:
        return
    append = tree.text(node).lstrip("*123456").startswith(">>")
    path = unquoted(tree.text(target).strip())
    if path.lower() not in ("$null", "nul") and tree.text(target).strip().lower() != "$null":
        tree.reading.writes(tree.word(target, path), GateReason.THE_REDIRECTION.of(), append=append)


def on_assignment(tree: PowerShellTree, node: Node) -> None:
    """A variable of the session is a read, one of the environment may change what runs."""
    target, value = node.named_children[0], node.named_children[-1]
    left = tree.text(target).lower()
    braced = re.fullmatch(r"\$\{(\w+:[^}]*)\}", left)
    if braced is not None:
        left = f"${braced[1]}"
    if any(_has(value, kind) for kind in ("command", "invokation_expression")):
        tree.printed[left.lstrip("${").rstrip("}")] = what_is_printed(tree, value)
    if left.startswith("$env:") and left in (
        "$env:path",
        "$env:psmodulepath",
        "$env:comspec",
        "$env:git_ssh_command",
        "$env:node_options",
    ):
        tree.reading.armed = (GateReason.CHANGES_CODE_OF_PROGRAMS.of(name=left), tree.word(node))
    elif left.startswith("$env:"):
        name = tree.text(target).strip("${}")[len("env:") :]
        given = unquoted(tree.text(value))
        text = given if value is not target and not re.search(r"[()@{}+]", given) else OPAQUE
        check(tree.reading, tree.piece.scope, tree.piece.nesting, name, text, tree.word(node))
    elif re.match(
        r"\$(?:\{?(?:global|script|local):)?(?:function|alias|profile|psdefaultparametervalues)\b", left
    ):
        tree.reading.found(Effect.UNKNOWN, GateReason.REDEFINES.of(text=shown(left)), tree.word(node))
    # `(gi x).IsReadOnly = $true` changes the file behind it.
    elif re.search(r"[)\]\w]\.\w+$", left):
        tree.reading.found(Effect.UPDATE, GateReason.REDEFINES.of(text=shown(left)), tree.word(node))


def _has(node: Node, kind: str) -> bool:
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if each.type == kind:
            return True
        waiting.extend(each.children)
    return False


VERBS = LISTS.section("verbs").effects()

CMDLETS = LISTS.section("cmdlets").effects()

ALIASES = LISTS.section("aliases").pairs("words")

ON_NETWORK = LISTS.section("network").words("uses")

WEB_METHODS = {
    "post": Effect.CREATE,
    "put": Effect.UPDATE,
    "patch": Effect.UPDATE,
    "delete": Effect.DELETE,
    "get": Effect.READ,
    "head": Effect.READ,
    "options": Effect.READ,
}


def cmdlet_effect(name: str, words: Sequence[Word]) -> Effect | None:
    """The class of a cmdlet, None when its verb is not known."""
    texts = [word.text.lower() for word in words]
    if any(re.fullmatch(r"-wh(?:a(?:t(?:if?)?)?)?(?::\$?true)?", text) for text in texts):
        return Effect.READ
    if name in ("invoke-webrequest", "invoke-restmethod"):
        return _web(texts)
    if name == "foreach-object" and (member := _member(texts)):
        return METHODS.get(("", member), Effect.READ if member in PROPERTIES else Effect.UNKNOWN)
    # Without a name it is told which by what is piped to it.
    if name == "import-module" and all(text.startswith("-") for text in texts):
        return Effect.UNKNOWN
    if name == "invoke-command" and any(text.startswith("-file") for text in texts):
        return Effect.UNKNOWN
    if name in ("invoke-command", "foreach-object", "where-object") and not any(
        "{" in text for text in texts
    ):
        return Effect.UNKNOWN if name == "invoke-command" else Effect.READ
    if name == "tee-object":
        return Effect.READ if any(text.startswith("-var") for text in texts) else Effect.CREATE
    if name == "import-module" and any(
        "/" in text or "\\" in text or text.endswith((".psm1", ".psd1", ".dll")) for text in texts
    ):
        return Effect.UNKNOWN
    effect = CMDLETS.get(name, VERBS.get(name.partition("-")[0]))
    return None if effect is None else max(effect, _by_words(name, texts))


def _by_words(name: str, texts: Sequence[str]) -> Effect:
    """What the words of a cmdlet that only reads make of it."""
    if name == "new-object" and any(WRITER.fullmatch(text) for text in texts):
        return Effect.CREATE
    if name == "trace-command" and any(text.startswith("-f") for text in texts):
        return Effect.UPDATE
    is_variable = name in ("set-variable", "new-variable")
    return Effect.UNKNOWN if is_variable and "psdefaultparametervalues" in texts else Effect.READ


WRITER = re.compile(r"['\"]?(?:system\.)?io\.(?:\w*writer|filestream)\b.*", re.DOTALL)


def _member(texts: Sequence[str]) -> str:
    """What `ForEach-Object Name` asks each object for, a property or a method; empty with code instead."""
    if any("{" in text for text in texts):
        return ""
    return next((text for text in texts if text[:1] not in "-("), "")


def _web(texts: list[str]) -> Effect:
    effect = Effect.READ
    for number, text in enumerate(texts):
        following = texts[number + 1] if number + 1 < len(texts) else ""
        if _means(text, "-method", "-custommethod"):
            effect = max(effect, WEB_METHODS.get(following, Effect.UNKNOWN))
        elif _means(text, "-outfile", "-infile", "-form") or (
            _means(text, "-body") and not any(_means(each, "-method") for each in texts)
        ):
            effect = max(effect, Effect.CREATE)
    return effect


def _means(text: str, *names: str) -> bool:
    """Whether a parameter is one of these: PowerShell takes as few letters as tell it from others."""
    given = text.partition(":")[0]
    return len(given) > 1 and any(name.startswith(given) for name in names)


PROPERTIES = LISTS.section("properties").words("harmless")

SAFE_TYPES = LISTS.section("types").words("safe")

METHODS = {
    (name, method): effect
    for name in LISTS.section("methods").sections()
    for method, effect in LISTS.section("methods", name).effects().items()
}
