"""One iterative walk over the tree of a bash line: every command, wherever it hides, is judged."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING

from desktop.gate.reasons import GateReason
from desktop.gate.shell import computed, parser
from desktop.gate.shell.expansion import REDIRECTS, Tree, words_of
from desktop.gate.shell.places import SECRET_VARIABLE, SINKS
from desktop.gate.shell.reading import FROM_ELSEWHERE, Argv, Passed, Piece, Reading, Stdin, shown
from desktop.gate.shell.simple_command import judge
from desktop.gate.shell.substitutions import SUBSCRIPT, Substitutions
from desktop.gate.shell.variables import (
    assign,
    assign_unknown,
    change_scope,
    check_computed,
    evaluates,
    give_default,
    keep_assignment,
    shows_by_name,
    stdin_of,
)
from desktop.gate.shell.words import ANY_MARK, OPAQUE, OUTPUT, Word, unescape_ansi
from desktop.gate.verdict import Effect, Flag

if TYPE_CHECKING:
    from tree_sitter import Node

GROUPS = frozenset(
    {"while_statement", "for_statement", "subshell", "compound_statement", "if_statement", "case_statement"}
)
STARTS_WITH_DASH = re.compile(r"(?:^|\s)['\"]?-|[;&|`$]")

NODES_BETWEEN_CHECKS = 64


def read_bash(piece: Piece, reading: Reading) -> None:
    """Look at every node of a text once, in the order of the text. Raises Unreadable."""
    parser.check_size(piece.text)
    tree = Tree(piece, reading)
    escapes_blanks = "\\ " in piece.text or "\\\t" in piece.text
    substitutions = Substitutions(tree.source)
    has_substitutions = substitutions.are_there
    waiting = [tree.root]
    visited = 0
    while waiting:
        node = waiting.pop()
        visited += 1
        if visited % NODES_BETWEEN_CHECKS == 0:
            reading.check_budget()
        if has_substitutions:
            substitutions.visit(node)
        # A closed list: a construct that nobody thought of asks instead of passing.
        kind = node.type  # each look at it makes a new text
        visit = VISITS.get(kind)
        if visit is None:
            reading.found(Effect.UNKNOWN, GateReason.UNKNOWN_CONSTRUCT.of(text=kind), tree.word(node))
            continue
        if visit is not nothing:
            visit(tree, node)
        if kind not in LITERAL:
            notice(tree, node, kind)
        if escapes_blanks and kind in STATEMENTS:
            check_gaps(tree, node)
        if node.named_child_count:
            # The first child next, so that a name is known before it is used.
            waiting.extend(reversed(node.named_children))
    if has_substitutions:
        account(tree, substitutions)


def account(tree: Tree, substitutions: Substitutions) -> None:
    """No substitution is passed over: what the grammar left as text is read by itself, or asked about."""
    substitutions.close()
    reading, whole = tree.reading, tree.word(tree.root)
    commands, is_more = substitutions.unread()
    for command in commands:
        reading.shell(command, whole, tree.piece.nesting, tree.scope)
    if commands or is_more:
        reading.is_static = reading.is_plain = False
    if is_more:
        reading.found(Effect.UNKNOWN, GateReason.UNFOLLOWED_SUBSTITUTION.of(), whole)
    if substitutions.dormant_subscript():
        reading.may_wake()


LITERAL = frozenset({"program", "command", "command_name", "number", "raw_string", "string_content"})
QUOTES = frozenset({"string", "ansi_c_string"})
BARE = frozenset({"word", "concatenation"})
# Here the shell puts something in that stands elsewhere, or nowhere in the line.
DYNAMIC = frozenset(
    [
        *["simple_expansion", "expansion", "command_substitution", "process_substitution", "subscript"],
        *["arithmetic_expansion", "brace_expression", "extglob_pattern", "function_definition"],
        *["translated_string"],
    ]
)  # fmt: skip
# Patterns, braces, and a tilde where it stands for a home folder.
not_literal = re.compile(r"[*?\[\]{}]|(?:^|[:=])~").search


def notice(tree: Tree, node: Node, kind: str) -> None:
    """Is the line still plain, and still static?"""
    reading = tree.reading
    if kind in BARE:
        reading.is_static = reading.is_static and not not_literal(tree.text(node))
    elif kind in QUOTES:
        if tree.source[node.start_byte - 1 : node.start_byte] == b"$":  # $"…" is translated
            reading.is_static = False
    else:
        reading.is_plain = False
        if kind in DYNAMIC:
            reading.is_static = False


STATEMENTS = frozenset(
    {
        *(
            "program",
            "list",
            "pipeline",
            "redirected_statement",
            "subshell",
            "compound_statement",
            "do_group",
        ),
        *("if_statement", "elif_clause", "else_clause", "while_statement", "for_statement", "case_statement"),
        *("case_item", "declaration_command", "negated_command"),
    }
)


def check_gaps(tree: Tree, node: Node) -> None:
    """The grammar passes over an escaped blank that stands alone; bash makes a word of it."""
    for first, second in pairwise(node.children):
        if "\\" in tree.gap(first.end_byte, second):
            tree.reading.found(Effect.UNKNOWN, GateReason.UNFOLLOWED_WORD.of(), tree.word(second))


def on_command(tree: Tree, node: Node) -> None:
    reading, scope = tree.reading, tree.scope
    outer = node.parent
    if outer is None or outer.type != "redirected_statement":  # else it is told with its redirections
        reading.is_written(tree.text(node))
    for child in node.children:
        if child.type == "variable_assignment":
            keep_assignment(tree, child, is_prefix=True)
        elif child.type == "herestring_redirect":
            if reading.shows_secret(tree.word(child)):
                reading.flag(Flag.SECRET, GateReason.HANDS_ON_A_VARIABLE_WITH_SECRETS.of(), tree.word(child))
            tree.stdin[node.id] = Stdin(tree.fed_by(child, scope))
    words = tree.words(node, scope)
    if not words:
        if node.child_by_field_name("name") is not None:
            reading.found(Effect.UNKNOWN, GateReason.RUNS_WHAT_AN_EXPANSION_GIVES.of(), tree.word(node))
        return
    if tree.bodies:
        note_call(tree, node, words[0].text)
    change_scope(tree, node, words, tree.stdin.get(node.id))
    computed.on_builtin(tree, node, words)
    passed = tree.passed.get(node.id, Passed.ALL)
    stdin = stdin_of(tree, node) if words[0].text in TAKE_WORDS else tree.stdin.get(node.id)
    judge(Argv(words, tree.piece.nesting, scope, stdin, passed), reading)
    if words[0].text in FOLDER_CHANGERS:
        change_folder(tree, node, words)


TAKERS = re.compile(rb"tar|xargs|parallel|sem|read|mapfile")
TAKE_WORDS = frozenset({"xargs", "gxargs", "parallel", "sem"})  # from their input
FOLDER_CHANGERS = frozenset({"cd", "pushd", "popd", "chdir"})
IN_LINE = frozenset({"program", "list", "redirected_statement"})


def change_folder(tree: Tree, node: Node, words: list[Word]) -> None:
    """Relative paths lie elsewhere from here on. Where a branch or a subshell goes, the rest may not be."""
    targets = [word.text for word in words[1:] if word.text not in ("--", "-P", "-L")]
    # By itself it goes home.
    targets = targets or (["~"] if words[0].text in ("cd", "chdir") else [])
    reading = tree.reading
    straight = _is_of_this_shell(node)
    if words[0].text in ("pushd", "popd"):
        targets = [reading.stacked(words[0].text, targets, is_certain=straight)]
    literal = straight and len(targets) == 1
    if len(targets) == 1:
        word = next((each for each in words if each.text == targets[0]), words[0])
        for target in reading.choices_of(word, tree.scope) or targets:
            reading.may_go_to(target)
        literal = literal and reading.choices_of(word, tree.scope) is None
    reading.goes_to(targets[0] if literal else None)


def _is_of_this_shell(node: Node) -> bool:
    """Whether a command is run by the shell itself, neither in a branch, nor in a pipe, nor behind it."""
    inner, outer, goes_on = node, node.parent, False
    while outer is not None:
        following = inner.next_sibling
        if following is not None and following.type == "&":
            return False
        # `cd x && a 2>&1 | b`: the grammar puts the whole list into the pipe, bash only its last command.
        goes_on = goes_on or (outer.type == "list" and following is not None)
        if outer.type not in IN_LINE and not (outer.type == "pipeline" and goes_on):
            return False
        inner, outer = outer, outer.parent
    return True


def on_pipeline(tree: Tree, node: Node) -> None:
    """Tell every stage what the one before feeds it."""
    text: str | None = None
    is_names = False
    takes_words = TAKERS.search(tree.source, node.start_byte, node.end_byte) is not None
    stages = node.named_children
    for number, stage in enumerate(stages):
        if number + 1 < len(stages) and (passed := _passed(tree, stages[number + 1])):
            tree.passed[stage.id] = passed
        if number:
            feed(tree, stage, Stdin(text, is_names=text is None and is_names))
        elif node.id in tree.stdin:
            feed(tree, stage, tree.stdin[node.id])
            text = tree.stdin[node.id].text
        is_names = takes_words and tree.lists_names(stage, is_fed=is_names)
        text = tree.output(stage, tree.scope, text) if text is not None or not number else None


# One field of what is fed to jq, by its whole path.
JQ_PATH = re.compile(r"\.?(?:\[\d*\])?(?:\.\w+(?:\[\d*\])?)+")
# Of grep and rg, among letters that take no value: behind -e a c is what is looked for.
COUNTS = re.compile(r"-[hinqsvwx]*[cq][chinqsvwx]*|--count|--quiet|--silent")
PLAIN_FLAGS = re.compile(r"-[chinqsvwx]+|--count|--quiet|--silent|--ignore-case|--invert-match")
LISTS = re.compile(r"-?[jJzav]*t[jJzav]*|--list")  # of tar: the names alone
FILTERS = frozenset({"grep", "egrep", "rg", "fgrep", "jq", "wc", "tar"})


def _passed(tree: Tree, stage: Node) -> Passed:
    """What a stage lets be seen of what it is fed."""
    if stage.type != "command":
        return Passed.ALL
    words = [word.text for word in tree.words(stage, tree.scope)]
    if not words or words[0] not in FILTERS:
        return Passed.ALL
    options = [word for word in words[1:] if word.startswith("-")]
    patterns = [word for word in words[1:] if not word.startswith("-")]
    if words[0] == "wc":
        return Passed.ALL if patterns else Passed.NOTHING
    if words[0] == "tar":
        return Passed.NOTHING if len(words) == 2 and LISTS.fullmatch(words[1]) else Passed.ALL
    if words[0] == "jq":
        is_field = len(patterns) == 1 and bool(JQ_PATH.fullmatch(patterns[0]))
        return Passed.NAMED if is_field and _is_no_secret(patterns[0]) else Passed.ALL
    if (
        options
        and all(PLAIN_FLAGS.fullmatch(word) for word in options)
        and any(map(COUNTS.fullmatch, options))
    ):
        return Passed.NOTHING
    inverted = any(re.match(r"-[a-zA-Z]*v|--invert", word) for word in options)
    return Passed.NAMED if len(patterns) == 1 and not inverted and _is_no_secret(patterns[0]) else Passed.ALL


def _is_no_secret(name: str) -> bool:
    return (
        bool(re.search(r"\w{3}", name))
        and not SECRET_VARIABLE.search(name)
        and not re.search(r"(?i)key|auth|cred|cookie|session|env|config|data$", name)
    )


def feed(tree: Tree, node: Node, stdin: Stdin) -> None:
    """Standard input of a statement; a group of commands shares it."""
    while node.type == "redirected_statement":
        body = node.child_by_field_name("body")
        if body is None:
            return
        tree.stdin[node.id] = stdin
        node = body
    tree.stdin[node.id] = stdin
    if node.type in GROUPS and stdin.text is not None and STARTS_WITH_DASH.search(stdin.text):
        tree.scope.values["REPLY"] = ("\x03",)
        tree.reading.inline_input = True


def on_redirected(tree: Tree, node: Node) -> None:
    tree.reading.is_written(tree.text(node))
    body = node.child_by_field_name("body")
    _keep_later_words(tree, node, body)
    for redirect in node.children:
        kind = redirect.type
        if kind not in REDIRECTS or body is None:
            continue
        if kind == "file_redirect":
            if _operator(redirect, tree) in ("<", "<&"):
                is_empty = any(target.text == "/dev/null" for target in _targets(redirect, tree))
                feed(tree, body, Stdin("") if is_empty else FROM_ELSEWHERE)
            continue
        text = tree.fed_by(redirect, tree.scope)
        feed(tree, body, Stdin(text))
        for child in redirect.named_children if kind == "heredoc_redirect" else ():
            if child.type == "pipeline":
                _feed_rest(tree, body, child, text)
    if body is None or _empties(tree, body):
        _truncations(tree, node)


HEREDOC_PARTS = frozenset({"heredoc_start", "heredoc_body", "heredoc_end", "pipeline", "list", *REDIRECTS})


def _keep_later_words(tree: Tree, node: Node, body: Node | None) -> None:
    """`find . > list -delete`: the grammar puts -delete under the redirection; it is the command's."""
    words: list[Node] = []
    waiting = [child for child in reversed(node.children) if child.type in REDIRECTS]
    while waiting:
        redirect = waiting.pop()
        if redirect.type == "file_redirect":
            targets = [child for child in redirect.named_children if child.type != "file_descriptor"]
            words += targets[1:]
            joined = any(
                tree.gap(first.end_byte, second).strip(" \t") or not tree.gap(first.end_byte, second)
                for first, second in pairwise(targets)
            )
            if joined or (targets[1:] and (body is None or body.type != "command")):
                tree.reading.found(
                    Effect.UNKNOWN, GateReason.GOES_ON_BEHIND_A_REDIRECTION.of(), tree.word(redirect)
                )
        elif redirect.type == "heredoc_redirect":
            words += [child for child in redirect.named_children if child.type not in HEREDOC_PARTS]
            waiting += [child for child in reversed(redirect.named_children) if child.type in REDIRECTS]
    if body is not None and words:
        tree.later[body.id] = words


def _feed_rest(tree: Tree, body: Node, rest: Node, text: str | None) -> None:
    """`cat <<EOF | …`: the grammar hangs the rest of the pipeline under the here-document."""
    printed = tree.output(body, tree.scope, text)
    tree.stdin[rest.id] = Stdin(printed)
    if rest.named_children:
        feed(tree, rest.named_children[0], Stdin(printed))


EMPTY = (["cat", "/dev/null"], [":"], ["true"], ["printf", ""], ["echo", "-n"], ["echo", "-n", ""])


def _empties(tree: Tree, body: Node) -> bool:
    if body.type != "command":
        return False
    texts = [word.text for word in tree.words(body, tree.scope)]
    return texts in EMPTY


def _truncations(tree: Tree, node: Node) -> None:
    for redirect in node.children:
        if redirect.type == "file_redirect" and _operator(redirect, tree) in (">", ">|", "&>"):
            for target in _targets(redirect, tree):
                # What goes to /dev/null empties nothing.
                if target.text not in SINKS and not target.text.startswith("/dev/fd/"):
                    tree.reading.found(
                        Effect.DELETE, GateReason.EMPTIES_FILE.of(text=shown(target.text)), target
                    )


def _operator(redirect: Node, tree: Tree) -> str:
    return next((tree.text(child) for child in redirect.children if not child.is_named), "")


def _targets(redirect: Node, tree: Tree) -> list[Word]:
    return [
        word
        for child in redirect.named_children
        if child.type != "file_descriptor"
        for word in words_of(child, tree, tree.scope)
    ]


HEREDOC = re.compile(r"<<-?[ \t]*((?:\\.|'[^']*'|\"(?:[^\"\\]|\\.)*\"|[^\s;&|<>()'\"\\`$])+)", re.DOTALL)


def on_heredoc(tree: Tree, node: Node) -> None:
    """A here-document ends where bash sees its end, or it is not believed."""
    found = HEREDOC.match(tree.source[node.start_byte : node.end_byte].decode("utf-8", "replace"))
    start = next((child for child in node.children if child.type == "heredoc_start"), None)
    body = next((child for child in node.children if child.type == "heredoc_body"), None)
    if found is None or start is None or tree.text(start) != found[1]:
        tree.reading.found(Effect.UNKNOWN, GateReason.UNFOLLOWED_HERE_DOCUMENT.of(), tree.word(node))
        return
    if any(
        child.type not in HEREDOC_PARTS and "\n" in tree.gap(start.end_byte, child) + tree.text(child)[:1]
        for child in node.named_children
    ):  # the grammar took a part of the document for words
        tree.reading.found(Effect.UNKNOWN, GateReason.UNFOLLOWED_HERE_DOCUMENT.of(), tree.word(node))
        return
    # Bash compares with the mark as it is without its quotes.
    end = re.sub(r"\\(.)|['\"]", r"\1", found[1])
    strip = tree.text(node).startswith("<<-")
    lines = tree.text(body).split("\n") if body is not None else []
    if any((line.lstrip("\t") if strip else line) == end for line in lines):
        tree.reading.found(Effect.UNKNOWN, GateReason.UNFOLLOWED_HERE_DOCUMENT.of(), tree.word(node))


def on_file_redirect(tree: Tree, node: Node) -> None:
    operator = _operator(node, tree)
    for target in _targets(node, tree)[:1]:
        if operator in ("<", "<&"):
            tree.reading.reads(target)
            tree.reading.reads_device(target)
            tree.reading.seen.add(target.text)
            if re.match(r"/dev/(tcp|udp)/", target.text):
                tree.reading.found(Effect.UNKNOWN, GateReason.OPENS_A_CONNECTION_AS_A_FILE.of(), target)
        elif operator in (">&", "&>", ">", ">>", ">|", "&>>"):
            # 2>&1 joins two streams and names no file.
            if operator == ">&" and re.fullmatch(r"\d+-?|-", target.text):
                continue
            if target.text == "/dev/fd/63":
                continue
            redirect_to(tree, target, append=operator in (">>", "&>>"))
        else:
            tree.reading.found(Effect.UNKNOWN, GateReason.REDIRECTS_WITH.of(text=operator), tree.word(node))


def redirect_to(tree: Tree, target: Word, *, append: bool) -> None:
    reading = tree.reading
    # Written a second time it loses only what the line itself has put there.
    again = target.text in reading.seen and not ANY_MARK.search(target.text)
    effect = reading.writes(target, GateReason.THE_REDIRECTION.of(), append=append or again)
    if effect is not Effect.READ:
        reading.seen.add(target.text)


def on_assignment(tree: Tree, node: Node) -> None:
    parent = node.parent
    if parent is not None and parent.type == "command":
        return  # done with the command
    if parent is not None and parent.type == "declaration_command":
        return
    tree.reading.is_written(tree.text(node))
    assign(tree, node)


def on_declaration(tree: Tree, node: Node) -> None:
    """export, declare, local, readonly, typeset: assignments, or words that become ones."""
    words = tree.words(node, tree.scope)
    for child in node.children:
        if child.type == "variable_assignment":
            keep_assignment(tree, child, is_prefix=False)
    name = tree.text(node.children[0])
    reading = tree.reading
    reading.is_written(tree.text(node))
    if evaluates(name, [word.text for word in words[1:]]):
        reading.evaluates(tree.word(node))
    assigns = any(child.type == "variable_assignment" for child in node.children)
    if not assigns and not any(word.text in ("-f", "-F") for word in words):
        judge(Argv([Word(name, *tree.place(node)), *words[1:]], tree.piece.nesting, tree.scope), reading)
    for word in words[1:]:
        name_made = word.text.partition("=")[0]
        if SECRET_VARIABLE.search(word.text) and any(each.text == "-p" for each in words):
            reading.flag(Flag.SECRET, GateReason.SHOWS_A_VARIABLE_WITH_SECRETS.of(name=name), word)
        if "=" in word.text or ANY_MARK.search(name_made):  # declare "$x=…", export $(…)
            reading.found(Effect.UNKNOWN, GateReason.ASSIGNS_TO_A_NAME_MADE_AT_RUN_TIME.of(), word)
    reading.found(Effect.READ, GateReason.ONLY_CHANGES_THIS_SHELL.of(name=name), tree.word(node))


def on_unset(tree: Tree, node: Node) -> None:
    words = [word for child in node.children for word in words_of(child, tree, tree.scope)]
    tree.reading.is_written(tree.text(node))
    computed.check_builtin(tree, ["unset"], node.named_children)
    judge(Argv(words, tree.piece.nesting, tree.scope), tree.reading)


def on_test(tree: Tree, node: Node) -> None:
    """Between [ and ] the shell sees redirections and pipes where the grammar sees operators, and the end of
    a line ends the command: what stands on the next one is run."""
    # Between [[ and ]] the same signs are comparisons to bash, too, and lines may end.
    if node.children[0].type != "[":
        return
    if LINE_END.search(_unquoted(node)):
        tree.reading.found(Effect.UNKNOWN, GateReason.LINE_ENDS_INSIDE_A_TEST.of(), tree.word(node))
    waiting = list(node.children)
    while waiting:
        each = waiting.pop()
        if each.type in QUOTED:
            continue
        if not each.is_named and OF_COMMANDS.search(each.type):
            tree.reading.found(Effect.UNKNOWN, GateReason.REDIRECTS_INSIDE_A_TEST.of(), tree.word(node))
        waiting += each.children


def _unquoted(node: Node) -> bytes:
    """The bytes of `node` without those of its texts and substitutions, in which lines may end."""
    if node.type in QUOTED or node.type in LITERALS:
        return b""
    text, at = b"", node.start_byte
    own = node.text or b""
    for child in node.children:
        text += own[at - node.start_byte : child.start_byte - node.start_byte] + _unquoted(child)
        at = child.end_byte
    return text + own[at - node.start_byte :]


LINE_END = re.compile(rb"(?<!\\)(?:\\\\)*\n")  # a backslash before it joins the lines
OF_COMMANDS = re.compile(r"[<>|&;]")
QUOTED = frozenset(
    {"string", "command_substitution", "process_substitution", "arithmetic_expansion", "expansion"}
)
LITERALS = frozenset({"raw_string", "ansi_c_string", "translated_string"})


def on_function(tree: Tree, node: Node) -> None:
    name = node.child_by_field_name("name")
    if name is None:
        return
    tree.scope.functions.add(tree.text(name))
    tree.bodies.append((node.start_byte, node.end_byte, tree.text(name)))
    # A name that calls itself twice fills the table of processes before anybody can stop it.
    if _multiplies(tree, node, tree.text(name)):
        tree.reading.found(
            Effect.UNKNOWN, GateReason.ENDLESS_RECURSION.of(name=tree.text(name)), tree.word(node)
        )
        tree.reading.ruins(GateReason.FORK_BOMB.of(name=tree.text(name)), tree.word(node))


def _multiplies(tree: Tree, function: Node, name: str) -> bool:
    """Whether each run of a function leaves more than one run of it behind."""
    waiting = list(function.children)
    calls = 0
    while waiting:
        node = waiting.pop()
        waiting += node.children
        called = node.child_by_field_name("name") if node.type == "command" else None
        if called is None or tree.text(called) != name:
            continue
        calls += 1
        outer = node
        while outer.parent is not None and outer.parent.type in ("pipeline", "redirected_statement"):
            outer = outer.parent
        follower = outer.next_sibling
        # Left in the background, each run goes on while the next begins.
        if follower is not None and follower.type == "&":
            return True
        if calls > 1 and outer.type == "pipeline":
            return True
    return False


def note_call(tree: Tree, node: Node, name: str) -> None:
    """A function that comes back to itself by way of others may never end."""
    for first, last, function in tree.bodies:
        if first < node.start_byte < last:
            tree.calls.setdefault(function, set()).add(name)
            if reaches(tree.calls, name, function):
                tree.reading.found(
                    Effect.UNKNOWN, GateReason.ENDLESS_RECURSION.of(name=name), tree.word(node)
                )


def reaches(calls: dict[str, set[str]], name: str, target: str) -> bool:
    """Whether one function calls another, by way of others too."""
    seen: set[str] = set()
    waiting = [name]
    while waiting:
        current = waiting.pop()
        if current == target:
            return True
        if current not in seen:
            seen.add(current)
            waiting += calls.get(current, ())
    return False


def on_for(tree: Tree, node: Node) -> None:
    variable = node.child_by_field_name("variable")
    if variable is None:
        return
    values = [
        word for child in node.children_by_field_name("value") for word in words_of(child, tree, tree.scope)
    ]
    for value in values:
        tree.reading.lists(value)
    computed.note_loop(tree, tree.text(variable), node.children_by_field_name("value"))
    assign_unknown(tree, tree.text(variable), [value.text for value in values])


COMPUTES = re.compile(rb"[A-Za-z_$`]")
LOOKS_UP = frozenset({"-v", "-R"})
ARITHMETIC = frozenset(
    {"arithmetic_expansion", "subscript", "c_style_for_statement", "compound_statement", "test_command"}
)
ARITHMETIC_STARTS = ("((", "$((", "$[")
STATIC_INDEX = re.compile(r"\w*\[(?:[@*]|\d+)\]")


def on_evaluation(tree: Tree, node: Node) -> None:
    """Arithmetic and subscripts evaluate what their names hold, over and over, also as commands."""
    computed.check_arithmetic(tree, node)
    if tree.text(node).startswith(ARITHMETIC_STARTS):
        check_computed(tree, tree.word(node))
    if COMPUTES.search(tree.source, node.start_byte, node.end_byte) and not STATIC_INDEX.fullmatch(
        tree.text(node)
    ):
        tree.reading.evaluates(tree.word(node))


def on_compound(tree: Tree, node: Node) -> None:
    if node.children[0].type == "((":
        on_evaluation(tree, node)


INDIRECT = re.compile(r"\$\{!(\w+)(?![\w*@\[])")  # `${!x*}` are names, `${!x[@]}` places in a list


def on_expansion(tree: Tree, node: Node) -> None:
    """${!x} takes its name from what x holds, ${x:a:b} computes, ${x@P} expands what x holds."""
    operators = [child.type for child in node.children if not child.is_named]
    if "!" in operators or ":" in operators:
        tree.reading.evaluates(tree.word(node))
        computed.check_offset(tree, node)
    if "=" in operators or ":=" in operators:
        give_default(tree, node)
    indirect = INDIRECT.match(tree.text(node)) if "!" in operators else None
    if indirect is not None:
        shows_by_name(tree, tree.scope.values.get(indirect[1]) or (), node)
    if "@" in operators and operators[-2] == "P":
        tree.reading.found(Effect.UNKNOWN, GateReason.PROMPT_EXPANSION.of(), tree.word(node))


def on_binary(tree: Tree, node: Node) -> None:
    """`[[ x =~ y ]]` leaves what fitted in a variable."""
    if any(child.type == "=~" for child in node.children):
        tree.scope.values["BASH_REMATCH"] = (OUTPUT,) * 10


def on_test_operator(tree: Tree, node: Node) -> None:
    """`[[ x -eq y ]]` computes; `-v` looks a name up, with its subscript."""
    operator, outer = tree.text(node), node.parent
    if outer is None or operator not in computed.COMPARES | LOOKS_UP:
        return
    computed.check_comparison(tree, operator, outer)
    for operand in outer.named_children:
        if operand.type == "test_operator":
            continue
        for word in words_of(operand, tree, tree.scope):
            value = tree.scope.values.get(word.text) or ()
            if OPAQUE in word.text or any(OPAQUE in text for text in value):
                name = shown(word.text)
                tree.reading.found(Effect.UNKNOWN, GateReason.EVALUATES_AS_AN_EXPRESSION.of(name=name), word)
            elif SUBSCRIPT.search(word.text):
                tree.reading.may_wake()
    tree.reading.evaluates(tree.word(outer))


def on_name(tree: Tree, node: Node) -> None:
    """A name in arithmetic whose value is put together in the line may be any expression."""
    name = tree.text(node)
    value = tree.scope.values.get(name)
    if not value or not any(OPAQUE in text for text in value):
        return
    outer = node.parent
    if outer is not None and outer.type == "subscript" and outer.children[0] == node:
        outer = outer.parent  # the array's own name
    while outer is not None and outer.type not in ("command", "program"):
        if outer.type in ARITHMETIC or (outer.type == "expansion" and outer is not node.parent):
            tree.reading.found(
                Effect.UNKNOWN, GateReason.EVALUATES_AS_AN_EXPRESSION.of(name=name), tree.word(node)
            )
            return
        outer = outer.parent


def on_ansi(tree: Tree, node: Node) -> None:
    """$'…' may spell what its letters do not show."""
    if "\\" in tree.text(node) and SUBSCRIPT.search(unescape_ansi(tree.text(node)[2:-1])):
        tree.reading.may_wake()


def nothing(_tree: Tree, _node: Node) -> None:
    """A node whose meaning is in its children."""


PLAIN = """program list negated_command subshell do_group if_statement elif_clause
else_clause while_statement case_statement case_item
unary_expression postfix_expression parenthesized_expression ternary_expression
brace_expression concatenation string translated_string array
simple_expansion command_substitution process_substitution variable_assignments
heredoc_body herestring_redirect command_name"""
LEAVES = """word number string_content raw_string regex comment special_variable_name
heredoc_start heredoc_content heredoc_end file_descriptor extglob_pattern"""
VISITS: dict[str, Callable[[Tree, Node], None]] = {
    **dict.fromkeys(PLAIN.split(), nothing),
    **dict.fromkeys(LEAVES.split(), nothing),
    "command": on_command,
    "pipeline": on_pipeline,
    "redirected_statement": on_redirected,
    "file_redirect": on_file_redirect,
    "heredoc_redirect": on_heredoc,
    "variable_assignment": on_assignment,
    "declaration_command": on_declaration,
    "function_definition": on_function,
    "test_command": on_test,
    "unset_command": on_unset,
    "for_statement": on_for,
    "variable_name": on_name,
    "ansi_c_string": on_ansi,
    "arithmetic_expansion": on_evaluation,
    "c_style_for_statement": on_evaluation,
    "compound_statement": on_compound,
    "expansion": on_expansion,
    "subscript": on_evaluation,
    "test_operator": on_test_operator,
    "binary_expression": on_binary,
}
