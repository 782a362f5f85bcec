"""What can be read off a line: whether all of it, which paths it changes, which program is unknown."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop.gate.shell.classifier import Classifier
from desktop.gate.verdict import Effect, Verdict
from tests.gate.shell.test_properties import AROUND, COMMANDS, PREFIXES, SUFFIXES, judge

quick = settings(max_examples=150, deadline=None)

STATIC = (
    "touch a",
    "mkdir -p 'a b' c",
    'git commit -m "one two"',
    "git reset HEAD~1",
    "echo hi > f 2>&1",
    "FOO=bar npm install left-pad",
    "touch a && touch b; ls | head",
    "bash -c 'touch a'",
    "sed -i s/a/b/ f",
    "if test -f a; then touch b; fi",
    "cat > f <<EOF\nplain\nEOF",
)
# Something that the shell puts in, finds, or looks up.
DYNAMIC_WORDS = (
    "$X",
    "${X:-a}",
    '"$X"',
    "$(cat n)",
    "`cat n`",
    '"$(date)"',
    "<(ls)",
    "$((1 + 1))",
    "*.c",
    "a?",
    "[ab].txt",
    "{a,b}",
    "~/x",
    "~root",
    "$@",
    "$'a'$X",
    "'a'*",
    '$"a"',
)
DYNAMIC_LINES = (
    "f() { touch a; }; f",
    "alias ll='touch a'; ll",
    "for i in a b; do touch $i; done",
    "ls | xargs touch",
    "find . -exec touch {} \\;",
    "eval touch a",
    "trap 'touch a' EXIT",
    "bash -c 'touch $1' _ a",
    "cat > f <<EOF\n$X\nEOF",
    'python -c \'open("a", "w")\'',
    "awk '{print > $1}' in",
    "./run.sh",
    "frobnicate",
    "make",
    "touch 'a",
    "touch a ((",
    "touch " + "a" * 2000,
)


@pytest.mark.parametrize("command", STATIC)
def test_literal_lines_are_static(classifier: Classifier, command: str) -> None:
    """Words, quotes, redirections and known programs leave nothing open."""
    assert classifier.classify(command, "bash").is_static


@pytest.mark.parametrize("command", DYNAMIC_LINES)
def test_what_is_made_at_run_time_is_not_static(classifier: Classifier, command: str) -> None:
    """Functions, aliases, code, what cannot be read, and what runs something that the line does not show."""
    assert not classifier.classify(command, "bash").is_static


@pytest.mark.parametrize("shell", ["powershell", "cmd"])
@pytest.mark.parametrize("command", ["mkdir %X%", "mkdir $x", "mkdir *.c", "mkdir (a)", "mkdir `a"])
def test_other_shells_are_static_only_without_special_characters(
    classifier: Classifier, shell: str, command: str
) -> None:
    """Also those that mean something in the other of the two."""
    assert not classifier.classify(command, shell).is_static
    assert classifier.classify("mkdir a", shell).is_static


@quick
@given(
    st.lists(st.sampled_from(PREFIXES), max_size=3),
    st.sampled_from(COMMANDS),
    st.sampled_from(DYNAMIC_WORDS),
    st.sampled_from(SUFFIXES),
    st.sampled_from(AROUND),
)
def test_a_line_with_an_expansion_anywhere_is_never_static(
    prefixes: list[str], command: str, word: str, suffix: str, around: str
) -> None:
    """Wherever it stands, whatever is around it."""
    line = around.format("".join(prefixes) + f"{command} {word}" + suffix)
    assert not judge().classify(line, "bash").is_static, line


@quick
@given(st.lists(st.sampled_from(PREFIXES), max_size=3), st.sampled_from(COMMANDS), st.sampled_from(SUFFIXES))
def test_harmless_parts_never_make_a_line_static(prefixes: list[str], command: str, suffix: str) -> None:
    """What is not static alone is not static in company."""
    if not judge().classify(command, "bash").is_static:
        assert not judge().classify("".join(prefixes) + command + suffix, "bash").is_static


TOUCHED = {
    "rm -r build old.txt": ("build", "old.txt"),
    "cd sub && rm x": ("sub/x",),
    "cd /srv/app && rm x": ("/srv/app/x",),
    "cd a && cd ../b && touch x": ("b/x",),
    "(cd sub; ls); rm x": (),  # whether it is still there cannot be told so simply
    "cd $X && rm x": (),
    "popd; rm x /tmp/y": ("/tmp/y",),
    "mv a b c/": ("a", "b", "c/"),
    "sed -i s/a/b/ f g": ("f", "g"),
    "echo x > out 2> err": ("out", "err"),
    "ls > /dev/null": (),
    "git checkout -- a b": ("a", "b"),
    "git checkout main": (),
    "git restore a": ("a",),
    "git rm -r a": ("a",),
    "git -C sub rm f": ("sub/f",),
    "env -C sub rm f": ("sub/f",),
    "chmod +x run.sh": ("run.sh",),
    "rm *.o": (),
    'rm "$X" a': ("a",),
    "ssh host 'rm a'": (),
    "docker exec web rm a": (),
    "npm install left-pad": (),
    "cat a": (),
    "truncate -s 0 log": ("log",),
    "rm -r 'a b'": ("a b",),
}


@pytest.mark.parametrize("command", TOUCHED)
def test_paths_that_are_changed(classifier: Classifier, command: str) -> None:
    """As they are seen from the working folder; nothing that cannot be told, nothing on other computers."""
    assert classifier.classify(command, "bash", "/work/app").touched == TOUCHED[command]


UNKNOWN_PROGRAMS = {
    "frobnicate list --all": "frobnicate",
    "/usr/bin/frobnicate x": "frobnicate",
    "frobnicate 'two words'": "frobnicate",
    "frobnicate > out": "",
    "frobnicate $X": "",
    "frobnicate `ls`": "",
    "frobnicate | head": "",
    "frobnicate && ls": "",
    "A=1 frobnicate": "",
    "sudo frobnicate": "",
    "bash -c frobnicate": "",
    "PATH=/tmp frobnicate": "",
    "./frobnicate": "",
    "frobnicate *.c": "",
    "git frobnicate": "",
    "make": "",
    "ls": "",
}


@pytest.mark.parametrize("command", UNKNOWN_PROGRAMS)
def test_the_unknown_program_of_a_plain_line(classifier: Classifier, command: str) -> None:
    """Told only where it is all that is unclear."""
    assert classifier.classify(command, "bash").unknown_program == UNKNOWN_PROGRAMS[command]


def parts(verdict: Verdict) -> set[str]:
    return set(verdict.parts)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("touch a", {"touch a"}),
        ("touch a > b && rm c", {"touch a > b", "rm c"}),
        ("{ touch a; touch b; } > c", {"{ touch a; touch b; } > c", "touch a", "touch b"}),
        ("A=1; touch a", {"A=1", "touch a"}),
        ("A=1 touch a", {"A=1 touch a"}),
        ("export A=1; touch a", {"export A=1", "touch a"}),
    ],
)
def test_parts_have_their_redirections_and_assignments(
    classifier: Classifier, command: str, expected: set[str]
) -> None:
    """A grant for `touch a` does not cover `touch a > b`."""
    assert parts(classifier.classify(command, "bash")) == expected


def test_commands_are_told_without_quotes_also_those_that_others_run(classifier: Classifier) -> None:
    """So that a rule against rm meets it in whatever coat."""
    for line in (
        "'r'm -rf x",
        "sudo rm -rf x",
        "sh -c 'rm -rf x'",
        "$'\\x72m' -rf x",
        "find . -exec rm -rf x ;",
    ):
        assert "rm -rf x" in classifier.classify(line, "bash").commands, line


@pytest.mark.parametrize(
    ("folder", "command", "flag"),
    [
        ("/home/u/.claude", "touch settings.json", "GATE"),
        ("/home/u", "cd .claude && touch settings.json", "GATE"),
        ("/home/u/.aws", "cat credentials", "SECRET"),
        ("/home/u", "cd ~/.aws; cat credentials", "SECRET"),
        ("/home/u/app", "cd /tmp && touch x", "OUTSIDE"),
        ("/home/u/app", "cd .. && touch x", "OUTSIDE"),
    ],
)
def test_the_folder_counts(classifier: Classifier, folder: str, command: str, flag: str) -> None:
    """A name that tells nothing by itself does so together with where it is."""
    verdict = classifier.classify(command, "bash", folder)
    assert flag in {each.value for each in verdict.flags}


def test_going_into_a_folder_below_stays_inside(classifier: Classifier) -> None:
    """`cd sub` is no way out."""
    verdict = classifier.classify("cd sub && touch x", "bash", "/home/u/app")
    assert verdict.effect is Effect.CREATE
    assert not verdict.flags
