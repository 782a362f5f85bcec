"""How many of the programs that people type have a table; and rows of the long tail."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop.gate.shell.classifier import Classifier
from desktop.gate.shell.tables import Tables
from desktop.gate.verdict import Effect, Gate
from desktop.paths import resources
from tests.bench.judge import rows as commands_for_the_judge

WELL_KNOWN = Path(__file__).parent / "well_known.txt"


def names() -> list[str]:
    return [each for line in WELL_KNOWN.read_text().splitlines() if line[:1] != "#" for each in line.split()]


def test_well_known_programs_have_a_table() -> None:
    """What packages, clouds, clusters, languages and the three systems bring; every name is looked up."""
    known = set(Tables(resources() / "commands").names())
    assert len(set(names())) >= 900
    assert sorted(set(names()) - known) == []


def test_the_judges_commands_are_of_unknown_programs(classifier: Classifier) -> None:
    """Else the bench would measure nothing: each is a plain line of a program that no table knows."""
    found = list(commands_for_the_judge())
    assert len(found) >= 60
    assert {row.effect for row in found} == {Effect.READ, Effect.CREATE, Effect.UPDATE, Effect.DELETE}
    for row in found:
        assert classifier.classify(row.command, "bash").unknown_program == row.command.split()[0]


ROWS = {
    "aptly repo list": Effect.READ,
    "aptly snapshot drop old": Effect.DELETE,
    "wp plugin list": Effect.READ,
    "wp plugin install akismet": Effect.CREATE,
    "wp db drop --yes": Effect.DELETE,
    "wp eval 'x();'": Effect.UNKNOWN,
    "drush cr": Effect.UPDATE,
    "qm list": Effect.READ,
    "qm destroy 100": Effect.DELETE,
    "argo submit flow.yaml": Effect.CREATE,
    "argo list -n jobs": Effect.READ,
    "databricks clusters list": Effect.READ,
    "databricks bundle destroy": Effect.DELETE,
    "bao secrets list": Effect.READ,
    "chamber exec prod -- rm -rf x": Effect.DELETE,
    "envchain aws ls": Effect.READ,
    "rustic snapshots": Effect.READ,
    "rustic forget abc": Effect.DELETE,
    "helm-docs --dry-run": Effect.READ,
    "typst compile a.typ": Effect.CREATE,
    "upx -t a.out": Effect.READ,
    "upx a.out": Effect.UPDATE,
    "sqitch status": Effect.READ,
    "sqitch revert": Effect.DELETE,
    "kafka-consumer-groups --bootstrap-server b:9092 --list": Effect.READ,
    "kafka-consumer-groups --bootstrap-server b:9092 --group g --delete": Effect.DELETE,
    "samtools view -b a.sam": Effect.READ,
    "samtools sort -o out.bam in.bam": Effect.CREATE,
    "juju status": Effect.READ,
    "juju remove-unit web/0": Effect.DELETE,
    "temporal workflow list": Effect.READ,
    "temporal workflow terminate -w x": Effect.DELETE,
    "cargo install --version 1.0.0 serde": Effect.CREATE,
    "cargo build --help": Effect.READ,
    "gcloud logging write log message": Effect.CREATE,
    "gcloud compute frobnicate x": Effect.UNKNOWN,
    "docker swarm ca --rotate": Effect.UPDATE,
    "tee --output-error /tmp/x": Effect.CREATE,
    "brew tap --repair": Effect.UPDATE,
    "xargs dd": Effect.UNKNOWN,
    "echo '1+2' | bc": Effect.READ,
    "dc -e '1 2 + p'": Effect.READ,
    "echo '5 3 - p' | dc": Effect.READ,
    "dc -e '!rm f'": Effect.UNKNOWN,
    "echo '!rm f' | dc": Effect.UNKNOWN,
    "cat x | dc": Effect.UNKNOWN,
    "dc x.dc": Effect.UNKNOWN,
    "glab api projects/1/uploads --form file=@a.png": Effect.CREATE,
}


@pytest.mark.parametrize("command", ROWS)
def test_rows_of_the_long_tail(classifier: Classifier, command: str) -> None:
    """By their own manuals."""
    assert classifier.classify(command, "bash").effect is ROWS[command]


@pytest.mark.parametrize(
    "command",
    ["ps eww", "ps auxe", "bao kv get x", "systemctl show-environment", "caddy environ", "cf env app"],
)
def test_reads_that_show_secrets_ask(classifier: Classifier, command: str) -> None:
    """Variables of other processes, and vaults."""
    assert classifier.classify(command, "bash").gate is Gate.ASK
