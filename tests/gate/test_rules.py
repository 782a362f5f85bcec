"""Rules of the user: what each meets, and what one that allows lets through."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.database import Database
from desktop.gate.commands import CommandPlaces, Commands
from desktop.gate.gatekeeper import Gatekeeper, try_line
from desktop.gate.grants import Grants
from desktop.gate.policy import Basis, PolicySettings
from desktop.gate.request import Request
from desktop.gate.rules import Rule, RuleAction, covering, is_below, rules_of, takes_away
from desktop.gate.shell.classifier import Classifier
from desktop.gate.shell.tables import Tables
from desktop.gate.verdict import Effect, Flag, Gate
from desktop.paths import resources
from desktop.settings import GateRule, GateSettings, RuleEffect

COMMANDS = Commands(Classifier(Tables(resources() / "commands")), around=CommandPlaces.of())
FOLDER = Path("/work/project")


def request(line: str, agent: str = "claude-code", shell: str | None = "bash") -> Request:
    verdict = COMMANDS.verdict(line, shell, str(FOLDER))
    return COMMANDS.request(verdict, line, FOLDER, tool=f"Bash of {agent}")


def deny(program: str = "", path: str = "", agent: str = "", tool: str = "") -> Rule:
    return Rule(RuleAction.DENY, program, path, agent, tool)


@pytest.mark.parametrize(
    "line",
    [
        "rm x",
        "/bin/rm x",
        "sudo rm x",
        "env A=1 rm x",
        "bash -c 'rm x'",
        "ls | xargs rm",
        "find . -name x -exec rm {} ;",
        "'r'm x",
        "\\rm x",
        "echo $(rm x)",
        "true && (rm x)",
        "f() { rm x; }; f",
        "timeout 5 nice rm x",
    ],
)
def test_a_rule_meets_a_program_in_any_coat(line: str) -> None:
    """What runs counts, not how the line is written."""
    assert deny("rm").meets(request(line))
    assert not deny("rmdir").meets(request(line))


@pytest.mark.parametrize(
    ("program", "line", "met"),
    [
        ("git push", "git push origin main", True),
        ("git push", "git -C /x --no-pager push", True),
        ("git push", "git pull", False),
        ("git push", "git commit -m push", False),
        ("git push", "echo git push", False),
        ("git push --force", "git push --force", True),
        ("git push --force", "git push --force=yes", True),
        ("git push --force", "git push", False),
        ("git push --force*", "git push --force-with-lease", True),
        ("rm -r", "rm -rf x", True),
        ("rm -r", "rm -f x", False),
        ("docker compose up", "docker compose -f a.yml up -d", True),
        ("python manage.py migrate", "python manage.py migrate", True),
        ("python manage.py migrate", "python manage.py test", False),
        ("mkfs*", "mkfs.ext4 disk.img", True),
        ("*", "anything at all", True),
    ],
)
def test_a_program_is_met_with_its_subcommand_and_options(program: str, line: str, met: bool) -> None:
    """Options may stand anywhere and in clusters; an option's value before a subcommand is passed over."""
    assert deny(program).meets(request(line)) is met


@pytest.mark.parametrize(
    ("path", "line", "met"),
    [
        ("/work/project/secrets", "cat secrets/a", True),
        ("secrets", "cat secrets/a", True),
        ("secrets", "cat my/secrets/a", True),
        ("secrets", "cat secretsx", False),
        ("*.env", "cat prod.env", True),
        ("/srv/**", "ls /srv/www", True),
        ("/srv", "cd /srv && cat x", True),
        ("/srv", "cat x", False),
        ("/srv/data", "rm -rf /srv", True),
        ("/srv/data", "ls /srv", False),
        ("/srv/data", "cat /srv/d*", True),
        ("/srv/data", "cat /srv/d*/x", True),
        ("/srv/data", "cat /s?v/[d]ata/a/b", True),
        ("/srv/data", "cd /srv && head */x", True),
        ("/srv/data/deep", "cat /srv/**/x", True),
        ("/srv/data", "cat /srv/x*/d", False),
        ("/srv/data", "cat /srv/**/x", True),
        ("/srv/data", "cat /opt/**/x", False),
        ("/srv/data", "cat /srv/x*/**/y", False),
        ("/srv", "echo x > /srv/a", True),
        ("/srv", "tool --output=/srv/a", True),
        ("/srv", "dd if=x of=/srv/a", True),
        ("/srv", "sort -o/srv/a b", True),
        ("~/keys", "cat ~/keys/a", True),
        ("~/keys", "cat $HOME/keys/a", True),
    ],
)
def test_a_place_is_met_with_all_below_it(path: str, line: str, met: bool) -> None:
    """Wherever the words of a command lead; removing or naming by pattern what it lies in counts too."""
    assert deny(path=path).meets(request(line)) is met


def test_a_place_is_met_through_a_link(tmp_path: Path) -> None:
    """A link is no way round a rule."""
    kept, link = tmp_path / "kept", tmp_path / "link"
    kept.mkdir()
    link.symlink_to(kept)
    assert deny(path=str(kept)).meets(request(f"cat {link}/a"))


@pytest.mark.parametrize(
    ("line", "met"),
    [
        ("grep -r x .", True),
        ("grep -r x", True),
        ("grep -rn x src", False),
        ("grep x a b", False),
        ("rg x", True),
        ("rg x src", False),
        ("cat a | rg x", False),
        ("rg x ..", True),
        ("cd .. && rg x", True),
        ("cd src && rg x", False),
        ("grep -r x ${PWD%/*}", True),
        ("grep -r x /proc/self/cwd", True),
        ("cat /proc/self/cwd/kept/a", True),
        ("cat /proc/self/root/{FOLDER}/kept/a", True),
        ("git grep x", True),
        ("git log", False),
        ("find . -type f -exec cat {} +", True),
        ("find . -type f | xargs cat", True),
        ("cat $(find . -type f)", True),
        ("find . -name x", False),
        ("find src -type f | xargs cat", False),
        ("fd -t f . -x cat", True),
        ("tar cf - . | wc -c", True),
        ("tar -cf a.tar .", True),
        ("tar xf a.tar -C .", False),
        ("cp -r . /tmp/x", True),
        ("cp -r /tmp/x .", False),
        ("zip -r a.zip .", True),
        ("diff -r . /tmp/x", True),
        (
            "python3 -c \"import os; [print(open(d+'/'+f).read()) for d,_,fs in os.walk('.') for f in fs]\"",
            True,
        ),
        (
            "python3 -c \"from pathlib import Path; [print(p.read_text()) for p in Path('src').rglob('*')]\"",
            False,
        ),
        ("grep -r x --exclude-dir=kept .", False),
        ("grep -r x --exclude-dir=k* .", True),
        ("rg x -g '!kept'", False),
        ("rg x -g '!kept' -g 'kept/**'", True),
        ("ls -a", False),
    ],
)
@pytest.mark.parametrize("named", ["{FOLDER}/kept", "kept", "**/k*pt"])
def test_a_place_is_met_by_what_goes_through_a_folder_above_it(
    tmp_path: Path, line: str, named: str, met: bool
) -> None:
    """By a whole path, by a name that may lie anywhere, and by a pattern; what is left out is not read."""
    for name in ("kept", "src"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a").touch()
    written = line.replace("{FOLDER}", str(tmp_path))
    verdict = COMMANDS.verdict(written, "bash", str(tmp_path))
    asked = COMMANDS.request(verdict, written, tmp_path, tool="Bash of claude-code")
    assert deny(path=named.replace("{FOLDER}", str(tmp_path))).meets(asked) is met


def test_what_is_hidden_is_met_where_it_is_shown(tmp_path: Path) -> None:
    """ripgrep passes over a hidden folder unless it is told otherwise; grep does not."""
    (tmp_path / ".kept").mkdir()
    rule = deny(path=str(tmp_path / ".kept"))
    for line, met in (("rg x", False), ("rg --hidden x", True), ("rg -uu x", True), ("grep -r x .", True)):
        verdict = COMMANDS.verdict(line, "bash", str(tmp_path))
        assert rule.meets(COMMANDS.request(verdict, line, tmp_path)) is met, line


def test_a_search_that_runs_nothing_is_met(tmp_path: Path) -> None:
    """Of an agent's own tool, and of Steward's; a folder that only lends its name to a list is not."""
    (tmp_path / "kept").mkdir()
    place = str(tmp_path)
    search = Request("Grep of claude-code", Effect.READ, parts=(place,), below=(place,))
    assert deny(path=f"{place}/kept").meets(search)
    assert deny(path="kept").meets(search)
    assert not deny(path=f"{place}/other").meets(search)
    assert not deny(path=f"{place}/kept").meets(Request("Glob of claude-code", Effect.READ, parts=(place,)))


def test_dots_behind_a_link_are_no_way_round(tmp_path: Path) -> None:
    """`d/../kept` lies beside where the link leads."""
    for name in ("project", "other/kept", "other/sub"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "project" / "d").symlink_to(tmp_path / "other" / "sub")
    line, folder = "cat d/../kept/a", tmp_path / "project"
    verdict = COMMANDS.verdict(line, "bash", str(folder))
    assert deny(path=f"{tmp_path}/other/kept").meets(COMMANDS.request(verdict, line, folder))


def test_program_and_place_must_meet_in_one_command() -> None:
    """Another command of the line that names the place is not meant."""
    rule = deny("rm", "/srv")
    assert rule.meets(request("rm /srv/a"))
    assert rule.meets(request("cd /srv && rm a"))
    assert not rule.meets(request("ls /srv && rm a"))


def test_a_rule_for_an_agent_or_a_tool_leaves_others_alone() -> None:
    """Both are patterns; Steward's own assistant has a name too."""
    assert deny("rm", agent="claude*").meets(request("rm x"))
    assert not deny("rm", agent="codex").meets(request("rm x"))
    own = Request("write_file", Effect.UPDATE, parts=("/work/a",))
    assert deny(agent="steward").meets(own)
    assert deny(tool="write_file", path="/work").meets(own)
    assert not deny("rm").meets(own)
    assert deny(tool="mcp__github__*").meets(Request("mcp__github__delete of codex", Effect.UNKNOWN))


@pytest.mark.parametrize(
    ("shell", "line"),
    [
        ("powershell", "Remove-Item x"),
        ("powershell", "ri x"),
        ("cmd", "del x"),
        ("cmd", "if exist x del x"),
    ],
)
def test_rules_meet_other_shells(shell: str, line: str) -> None:
    """A cmdlet is met by its name, also where an alias is written."""
    name = "Remove-Item" if shell == "powershell" else "del"
    assert deny(name).meets(request(line, shell=shell))


ALLOW = RuleAction.ALLOW


@pytest.mark.parametrize(
    ("rule", "line", "allowed"),
    [
        (Rule(ALLOW, "go test"), "go test ./...", True),
        (Rule(ALLOW, "go test"), "cd sub && go test ./... | tail -3", True),
        (Rule(ALLOW, "go test"), "go build ./...", False),
        (Rule(ALLOW, "go test"), "go -C x test", False),
        (Rule(ALLOW, "go test"), "go test ./... && touch x", False),
        (Rule(ALLOW, "go test"), "go test ./... > out", False),
        (Rule(ALLOW, "go test"), "go test $(touch x)", False),
        (Rule(ALLOW, "go test"), "sudo go test", False),
        (Rule(ALLOW, "touch"), "touch a /elsewhere/b", True),
        (Rule(ALLOW, "touch", "/work/project"), "touch a b/c", True),
        (Rule(ALLOW, "touch", "/work/project"), "touch a /elsewhere/b", False),
        (Rule(ALLOW, "touch", "/work/project"), "cd /elsewhere && touch b", False),
        (Rule(ALLOW, "touch", "/work/project"), "touch $X/b", False),
        (Rule(ALLOW, "rm"), "rm x", False),
        (Rule(ALLOW, "rm*", "/work/project/build"), "rm build/x", False),
        (Rule(ALLOW, "rm", "/work/project"), "rm -r build", True),
        (Rule(ALLOW, "rm", "/work/project"), "rm -r ../other", False),
        (Rule(ALLOW, "*", "/"), "touch ~/.claude/settings.json", False),
        (Rule(ALLOW, "cat"), "cat .env", False),
        (Rule(ALLOW, "cat", "/work/project"), "cat .env", True),
    ],
)
def test_an_allowing_rule_covers_every_command_that_does_something(
    rule: Rule, line: str, allowed: bool
) -> None:
    """A deletion, a secret and other rights take a rule that names one program and one place exactly."""
    assert bool(covering(request(line), [rule])) is allowed


def test_two_rules_may_cover_a_line_together() -> None:
    """Each command by one of them."""
    rules = [Rule(ALLOW, "go test"), Rule(ALLOW, "touch")]
    assert covering(request("go test && touch x"), rules) == tuple(rules)


def test_an_allowing_rule_for_a_place_covers_files_there() -> None:
    """Of tools that name files; a pattern deletes nothing."""
    rule = Rule(ALLOW, path="/work/project")
    inside = Request("Write of claude-code", Effect.UPDATE, parts=("/work/project/a",))
    assert covering(inside, [rule])
    assert not covering(Request("Write of claude-code", Effect.UPDATE, parts=("/work/b",)), [rule])
    delete = Request("Delete of cursor", Effect.DELETE, parts=("/work/project/a",))
    assert covering(delete, [rule])
    assert not covering(delete, [Rule(ALLOW, path="/work/*")])
    gate = Request("Write of claude-code", Effect.UPDATE, frozenset({Flag.GATE}), ("/work/project/a",))
    assert not covering(gate, [rule])


NAMES = st.sampled_from(["a", "b", "a*", "*", "b?"])
PATHS = st.lists(NAMES, min_size=1, max_size=4).map(lambda parts: "/" + "/".join(parts))
PLAIN = st.lists(st.sampled_from(["a", "b", "ab"]), min_size=1, max_size=4).map(
    lambda parts: "/" + "/".join(parts)
)


@given(PLAIN, PLAIN)
def test_below_and_around_agree_for_plain_paths(inner: str, outer: str) -> None:
    """What removing a folder takes away is what lies below it."""
    assert takes_away(outer, inner) == is_below(inner, outer)


@given(
    st.lists(st.builds(Rule, st.sampled_from(RuleAction), st.sampled_from(["rm", "go test", "*"]), PATHS)),
    st.randoms(),
)
def test_the_order_of_rules_makes_no_difference(rules: list[Rule], random: object) -> None:
    """Of deciding and of allowing."""
    from desktop.gate.policy import decide

    shuffled = list(rules)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    for line in ("rm a/b", "go test", "ls"):
        asked = request(line)
        first, again = (decide(asked, each, (), PolicySettings()) for each in (rules, shuffled))
        assert (first.gate, first.ground) == (again.gate, again.ground)


def test_settings_become_rules() -> None:
    """Each field by its name."""
    settings = GateSettings(
        rules=[GateRule(effect=RuleEffect.ASK, program="git push", agent="codex", reason="hm")]
    )
    assert rules_of(settings) == (Rule(RuleAction.ASK, "git push", agent="codex", reason="hm"),)


@pytest.mark.parametrize(
    ("line", "gate", "ground", "number"),
    [
        ("ls", Gate.ALLOW, Basis.READING, None),
        ("git push", Gate.DENY, Basis.DENY_RULE, 0),
        ("git log", Gate.ASK, Basis.ASK_RULE, 1),
        ("touch x", Gate.ALLOW, Basis.ALLOW_RULE, 2),
        ("mkdir x", Gate.ASK, Basis.NOTHING, None),
        ("rm -rf ~", Gate.DENY, Basis.HARD_RULE, None),
    ],
)
def test_a_trial_names_the_rule_that_decides(
    database: Database, line: str, gate: Gate, ground: Basis, number: int | None
) -> None:
    """And counts nothing."""
    rules = (deny("git push"), Rule(RuleAction.ASK, "git log"), Rule(ALLOW, "touch"))
    keeper = Gatekeeper(Grants(database), PolicySettings, lambda: rules)
    decision = try_line(COMMANDS, keeper, line, "claude-code", FOLDER, "bash").decision
    assert (decision.gate, decision.ground) == (gate, ground)
    assert decision.rule == (None if number is None else rules[number])
