"""What a verdict says about the network: none, may, uses, and the hosts that the text names."""

from __future__ import annotations

import tomllib

import pytest

from desktop.gate.shell.classifier import Classifier
from desktop.gate.shell.tables import NETWORKS, Tables, expanded
from desktop.gate.verdict import Network
from desktop.paths import resources

NONE, MAY, USES = Network.NONE, Network.MAY, Network.USES


def test_the_network_table_names_only_what_other_tables_know(tables: Tables) -> None:
    """A misspelt program or subcommand would silently be taken for one that stays offline."""
    file = resources() / "commands" / "network.toml"
    lists = tomllib.loads(file.read_text(encoding="utf-8"))
    for key in (*NETWORKS, "NAMES_HOSTS"):
        for path in [each for word in lists[key].split() for each in expanded(key, word)]:
            program, *sub = path.split("/")
            spec = tables.spec(program)
            assert spec is not None, path
            known = not sub or any(name[: len(sub)] == tuple(sub) for name in (*spec.subs, *spec.prefixes))
            assert known, path


@pytest.mark.parametrize(
    ("command", "network", "hosts"),
    [
        ("ls -la | grep x", NONE, ()),
        ("git status && git log -3", NONE, ()),
        ("mkdir -p build && cp a build", NONE, ()),
        ("python3 -c 'print(1 + 1)'", NONE, ()),
        ("npm ls --depth=0", NONE, ()),
        ("pip list", NONE, ()),
        ("make test", MAY, ()),
        ("./run.sh", MAY, ()),
        ("pytest -q", MAY, ()),
        ("frobnicate --now", MAY, ()),
        ("cargo build", MAY, ()),
        ("curl -s https://api.example.com/v1?x=1", USES, ("api.example.com",)),
        ("curl -s http://user@127.0.0.1:8080/x", USES, ("127.0.0.1",)),
        ("curl 'http://[::1]:3000/'", USES, ("::1",)),
        ("curl -s http://localhost:3000/$PAGE", USES, ("localhost",)),
        ('curl -s "$URL"', USES, ()),
        ('curl -s "https://$HOST/x"', USES, ()),
        ("curl https://a.example.com https://b.example.com", USES, ("a.example.com", "b.example.com")),
        ("curl https://a.example.com && curl $B", USES, ()),
        ("git clone git@git.example.com:team/app.git", USES, ("git.example.com",)),
        ("git -C app fetch", USES, ()),
        ("ping -c 3 example.com", USES, ("example.com",)),
        ("dig +short example.com @192.0.2.1 MX", USES, ("example.com", "192.0.2.1")),
        ("ssh deploy@app.example.com uptime", USES, ("app.example.com",)),
        ("npm install left-pad", USES, ()),
        ("gh pr view 1", USES, ()),
        ("sudo apt update", USES, ()),
        ("timeout 5 curl https://example.com", USES, ("example.com",)),
        ("make && curl https://example.com", USES, ()),
        ("echo x > /dev/tcp/192.0.2.7/80", USES, ("192.0.2.7",)),
    ],
)
def test_the_network_of_a_command(
    classifier: Classifier, command: str, network: Network, hosts: tuple[str, ...]
) -> None:
    """Hosts are told only where the text names all of them."""
    verdict = classifier.classify(command, "bash")
    assert (verdict.network, verdict.hosts) == (network, hosts)
    assert verdict.uses_network is (network is USES)


def test_cmdlets_that_use_the_network(classifier: Classifier) -> None:
    """PowerShell's own programs are told like others."""
    verdict = classifier.classify("Invoke-WebRequest https://example.com/x | Select-String y", "powershell")
    assert (verdict.network, verdict.hosts) == (USES, ("example.com",))
    assert classifier.classify("Get-ChildItem -Recurse", "powershell").network is NONE
