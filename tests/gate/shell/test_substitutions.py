"""Substitutions that the grammar leaves as text, and texts that run once the shell evaluates them."""

from __future__ import annotations

import pytest

from desktop.gate.shell.classifier import Classifier
from desktop.gate.verdict import Effect, Gate

LIVE = (
    "cat <<EOF\n`rm x`\nEOF",
    "cat <<-EOF | head\n\t`rm x`\n\tEOF",
    'echo "${x:-`rm x`}"',
    "echo ${x#`rm x`}",
    "echo ${x/a/`rm x`}",
    "echo ${x:-<(rm x)}",
    "echo \"${x:-'$(rm x)'}\"",
    "echo `echo \\`rm x\\``",
    "echo `echo \\$(rm x)`",
    "[[ 'a[$(rm x)]' -eq 0 ]]",
    "[[ $'a[\\x24(rm x)]' -eq 0 ]]",
    "[ -v 'a[$(rm x)]' ]",
    "test -v 'a[`rm x`]'",
    "let 'a[$(rm x)]'",
    "printf -v 'a[$(rm x)]' y",
    "read 'a[$(rm x)]' <<< y",
    "unset 'a[$(rm x)]'",
    "x='a[$(rm x)]'; echo $((x))",
    "y=x; x='a[$(rm x)]'; ((y))",
    "set -- 'a[$(rm x)]'; echo ${z:$1}",
    "declare -i n; n='a[$(rm x)]'",
    "declare -n r='a[$(rm x)]'; echo $r",
    "x='a[$(rm x)]'; echo ${!x}",
    "for i in 'a[$(rm x)]' b; do ((i)); done",
    "x='$(rm x)'; echo ${x@P}",
    "((1, '$(rm x)'))",
    "echo $(('$(rm x)'))",
    "cat <<E\n\\$'a'$'`rm x`'\nE",
)
DORMANT = (
    "cat <<'EOF'\n`rm x`\nEOF",
    "echo \"a <(b)\" '`rm x`' \\`rm x\\`",
    "echo ${x:-y} ${x#a*} ${x/a/b} ${x:1:2} ${#x} ${!x@} ${a[@]}",
    "echo $((1 + 2)) $((n + 1)); ((n++)); [[ $n -eq 3 ]]; [ -v x ]",
    "awk '{print $(NF-1)}' f; echo $((n + 1))",
    "echo 'a[$(rm x)]'",
    "x='a[$(rm x)]'; echo \"$x\"",
    'for f in a; do echo "$(wc -l < "$f") $(basename $f)"; done',
    "# `rm x`\nls",
)


@pytest.mark.parametrize("command", LIVE)
def test_what_runs_is_asked_about(classifier: Classifier, command: str) -> None:
    """Wherever bash would run it: in a document, a default, a pattern, a subscript, a reference."""
    assert classifier.classify(command, "bash").gate is Gate.ASK


@pytest.mark.parametrize("command", DORMANT)
def test_what_stays_text_is_data(classifier: Classifier, command: str) -> None:
    """Quotes, escapes and comments hold; arithmetic on plain names is a read."""
    verdict = classifier.classify(command, "bash")
    assert (verdict.effect, verdict.gate) == (Effect.READ, Gate.ALLOW), verdict.reason


def test_backticks_of_a_document_are_read_as_commands(classifier: Classifier) -> None:
    """They are judged by what they say, not only asked about."""
    assert classifier.classify("cat <<EOF\n`date`\nEOF", "bash").gate is Gate.ALLOW
    assert classifier.classify("cat <<EOF\n`rm x`\nEOF", "bash").effect is Effect.DELETE


@pytest.mark.parametrize(
    ("command", "gate"),
    [
        (":(){ :|:& };:", Gate.DENY),
        ("f() { f | f & }; f", Gate.DENY),
        ("ls() { cat; }; cat() { ls | ls & }; ls", Gate.ASK),
        ("f() { ls; }; f; ls", Gate.ALLOW),
        ("f() { g; }; g() { ls; }; f", Gate.ASK),  # g is not known where it is called first
        ("g() { ls; }; f() { g; g; }; f", Gate.ALLOW),
        ("alias ls=eval\nls 'rm x'", Gate.ASK),
        ("alias ll='ls -l'", Gate.ALLOW),
    ],
)
def test_functions_that_call_themselves_and_aliases_that_are_used(
    classifier: Classifier, command: str, gate: Gate
) -> None:
    """A fork bomb under any name; a word that the line itself gives another meaning."""
    assert classifier.classify(command, "bash").gate is gate
