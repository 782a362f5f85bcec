"""Lines composed from bash's constructs, one in another, around a write: bash judges the verdict."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from desktop.gate.verdict import Gate
from tests.gate.shell.test_properties import verdict
from tests.gate.shell.test_proven import needs_bash, writes

WRITES = ("touch pwned", ">pwned", ": >> pwned", "echo x > pwned", "tee pwned <<< x", "cp f pwned")
# A command in a word.
SUBSTITUTED = (
    "$({})",
    "`{}`",
    "$( {}; )",
    "<({})",
    "$(echo $({}))",
    "$((`{}`))",
    "$[$({})0]",
    "$(({}))",
    "${{ {}; }}",
)
# A word in a word.
WORDS = (
    *("{}", '"{}"', "a{}b", "'a'{}", "$'a'{}", '$"{}"', "\\{}", "'{}'", "$'{}'", "{{a,{}}}", "~{}", "@({})"),
    *(
        "${{u:-{}}}",
        '"${{u:-{}}}"',
        "${{u:=x{}}}",
        "${{u+{}}}${{PATH+{}}}",
        "${{PATH#{}}}",
        '"${{PATH%%{}}}"',
    ),
    *(
        "${{PATH/{}/b}}",
        "${{PATH//u/{}}}",
        "${{PATH^^{}}}",
        "${{PATH:0:{}}}",
        "${{a[{}]}}",
        "\"${{u:-'{}'}}\"",
    ),
    *(
        '${{u:-"{}"}}',
        "${{u:-`echo {}`}}",
        '"`echo {}`"',
        '"$(echo "{}")"',
        "$((1+{}))",
        "${{!u:-{}}}",
        "${{@:-{}}}",
    ),
    *(
        "${{u:-a\\}}{}}}",
        "${{u:-'}}'{}}}",
        "${{u-$'}}'{}}}",
        "${{PATH:+{}{}}}",
        "$(: {})$(echo {})",
        "${{u:-${{v-{}}}}}",
    ),
)
# A word in a command.
COMMANDS = (
    *(": {}", "echo {} | cat", "x={}", "x=(a {})", "a[{}]=1", "export x={}", "local x={} 2>&1", "X={} true"),
    *("for i in {}; do :; done", "case {} in x) ;; esac", "case x in {}) ;; esac", "[[ {} ]]", "[[ -n {} ]]"),
    *("[[ x == {} ]]", "[[ x =~ {} ]]", "[ {} = x ]", "test -n {}", "((1, {}))", "let x={}", "cat <<< {}"),
    *(
        "cat <<E\n{}\nE",
        "cat <<-E\n\t{}\nE",
        "cat <<'E'\n{}\nE",
        "cat <<E | cat\n{}\nE",
        "cat < {}",
        ": 2> {}",
    ),
    *(
        "cat <<E\n${{u:-{}}}\nE",
        "set -- {}",
        "read x <<< {}",
        "printf -v x %s {}",
        "unset -v {}",
        "eval : {}",
    ),
    *(
        "f() {{ : {}; }}; f",
        "f() {{ : $1; }}; f {}",
        "trap ': {}' EXIT",
        "bash -c ': {}'",
        "# {}",
        "echo '\n{}'",
    ),
    *("declare -A m=([{}]=1)", "select i in {}; do break; done < /dev/null", "while : {}; do break; done"),
    *(
        "coproc : {}; wait",
        "time : {}",
        "! : {}",
        ": {} &\nwait",
        "alias x={}",
        "exec 3<&- {}",
        "true {} \\\n a",
    ),
)
# A command in a command.
AROUND = (
    *(
        "{}",
        "({})",
        "{{ {}; }}",
        "if {}; then :; fi",
        "if true; then {}; fi",
        "{} && :",
        "false || {}",
        "{} | cat",
    ),
    *(": | {}", "{} 2>&1", "{} > /dev/null", "for ((;;)); do {}; break; done", "while {}; do break; done"),
    *(
        "case x in x) {};; esac",
        "g() {{ {}; }}; g",
        "! {}",
        "time {}",
        "eval {}",
        "{} &\nwait",
        "{{ {}; }} < /dev/null",
    ),
    *(
        "function h {{ {}; }}; h",
        "coproc {{ {}; }}; wait",
        ": $({})",
        "cat <({})",
        "true;{}",
        "true\n{}\ntrue",
    ),
)


def put(form: str, inner: str) -> str:
    """`inner` in every place of a form."""
    return form.replace("{}", PLACE).replace("{{", "{").replace("}}", "}").replace(PLACE, inner)


PLACE = "\ue102"


@st.composite
def composed(draw: st.DrawFn) -> str:
    text = draw(st.sampled_from(WRITES))
    for _ in range(draw(st.integers(1, 2))):
        text = put(draw(st.sampled_from(SUBSTITUTED)), text)
        for _ in range(draw(st.integers(0, 3))):
            text = put(draw(st.sampled_from(WORDS)), text)
        text = put(draw(st.sampled_from(COMMANDS)), text)
        for _ in range(draw(st.integers(0, 2))):
            text = put(draw(st.sampled_from(AROUND)), text)
    return text


@st.composite
def broken(draw: st.DrawFn) -> str:
    """The same with a letter more or less, so that quotes and brackets end elsewhere."""
    text = draw(composed())
    for _ in range(draw(st.integers(0, 2))):
        place = draw(st.integers(0, len(text)))
        text = (
            text[:place]
            + draw(st.sampled_from(("", *"'\"`$(){}[]\\#;|&<> \n")))
            + text[place + draw(st.integers(0, 1)) :]
        )
    return text


@needs_bash
@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(composed() | broken())
def test_what_writes_is_never_allowed(line: str) -> None:
    """Whatever is allowed is run by bash in a folder of its own, and the file must not appear."""
    if verdict(line).gate is not Gate.ALLOW:
        return
    with tempfile.TemporaryDirectory() as folder:
        assert not writes(line, Path(folder) / "root"), line


@pytest.mark.parametrize("form", [*SUBSTITUTED, *WORDS, *COMMANDS, *AROUND])
def test_every_form_has_a_place(form: str) -> None:
    """A form without one would test nothing."""
    assert put(form, PLACE).count(PLACE) >= 1
