"""Secrets never reach the log, and what is no secret does."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.gate.redaction import LIMIT_CHARACTERS, Redactor, read_rules
from desktop.paths import resources

RULES = read_rules(resources() / "redaction.toml")
REDACTOR = Redactor(RULES)
# Stands for random letters. Prefixes are put together below, so that no scanner minds this file.
A = "Zx9Kq2Lm8Vt4Rb7Wc3Yh6Nj1Pd5Sf0Ga"
HEX = "9f86d081884c7d659a2feaa0c55ad015"
JWT = f"eyJ{A}.eyJ{A}.{A}"
FINGERPRINTS = (A, HEX, "hunter22", "correct-horse")

SECRETS = (
    ("private-key", f"-----BEGIN OPENSSH PRIVATE KEY-----\n{A}\n{A}\n-----END OPENSSH PRIVATE KEY-----"),
    ("age-key", f"AGE-SECRET-KEY-1{A.upper()}".replace(A.upper(), A.upper() * 2)),
    ("github-token", f"git clone https://x.example/ gh{'p'}_{A}"),
    ("github-token", f"github_{'pat'}_{A}"),
    ("gitlab-token", f"curl -H 'PRIVATE-TOKEN: gl{'pat'}-{A}'"),
    ("aws-access-key", "AK" + "IA" + "QYLPMN5HHHFPZAM2"),
    ("google-key", f"https://maps.example/?key=AI{'za'}Sy{A}"),
    ("azure-key", f"DefaultEndpointsProtocol=https;AccountName=x;AccountKey={A}{A}=="),
    ("slack-token", f"xo{'xb'}-123456789012-{A}"),
    ("slack-token", f"https://hooks.slack.com/services/{A}"),
    ("discord-webhook", f"https://discord.example/api/webhooks/123456789/{A}"),
    ("telegram-bot-token", f"12345678:AA{A}"),
    ("stripe-key", f"sk_{'live'}_{A}"),
    ("model-provider-key", f"s{'k'}-ant-api03-{A}"),
    ("model-provider-key", f"h{'f'}_{A}"),
    ("package-token", f"np{'m'}_{A}{A}"),
    ("package-token", f"py{'pi'}-{A}{A}"),
    ("host-token", f"dop_{'v1'}_{HEX}{HEX}"),
    ("host-token", f"hv{'s'}.{A}"),
    ("service-token", f"S{'G'}.{A}.{A}"),
    ("service-token", f"shp{'at'}_{HEX}"),
    ("json-web-token", JWT),
    ("http-authorization", f"curl -H 'Authorization: Bearer {A}' https://x.example"),
    ("http-authorization", f'{{"Authorization": "Basic {A}=="}}'),
    ("http-cookie", f"curl -H 'Cookie: session={A}; theme=dark' https://x.example"),
    ("password-in-address", "psql postgres://me:hunter22@db.example/app"),
    ("password-option", "curl -u me:hunter22 https://x.example"),
    ("mysql-password", "mysql -h db -u root -phunter22 app"),
    ("sshpass-password", "sshpass -p hunter22 ssh host"),
    ("password-option", "tool --api-key=hunter22"),
    ("password-option", "docker login --username me --password hunter22"),
    ("password-option", "openssl enc -k x -pass pass:hunter22"),
    ("program-password", "redis-cli -a hunter22 ping"),
    ("password-argument", "wpa_passphrase home hunter22"),
    ("password-on-input", "echo hunter22 | sudo -S ls"),
    ("secret-of-a-cluster", "kubectl create secret generic x --from-literal=pw=hunter22"),
    ("secret-setting", "aws configure set aws_secret_access_key hunter22"),
    ("environment-secret", "SMTP_PASS=hunter22 ./send"),
    ("assigned-secret", "DB_PASSWORD=hunter22 ./run"),
    ("assigned-secret", "export OPENAI_API_KEY='hunter22'"),
    ("assigned-secret", '{"client_secret": "hunter22"}'),
    ("assigned-secret", "password: correct-horse"),
)


@pytest.mark.parametrize(("rule", "text"), SECRETS)
def test_secrets_are_replaced_and_named(rule: str, text: str) -> None:
    """Nothing of the secret is left, and the mark says which kind it was."""
    redacted = REDACTOR.text(f"before {text}\nafter")
    assert not any(mark in redacted for mark in FINGERPRINTS)
    assert "QYLPMN5HHHFPZAM2" not in redacted
    assert f"[redacted: {rule}]" in redacted
    assert redacted.startswith("before ")
    assert redacted.endswith("\nafter")


# In the environment and in the arguments of commands, as programs take them.
IN_COMMANDS = (
    'run --password "two hunter22"',
    "SMTP_PASS=hunter22 ./x",
    "env FOO_AUTH=hunter22 x",
    "MYSQL_PWD=hunter22 mysql",
    "redis-cli -a hunter22 ping",
    "mongosh -u me -p hunter22",
    "curl -ume:hunter22 x",
    "curl --user=me:hunter22 x",
    "7z x -phunter22 a.7z",
    "zip -P hunter22 a.zip b",
    "unzip -P hunter22 a",
    "ssh-keygen -t rsa -N hunter22 -f x",
    "smbclient -U me%hunter22 //a/b",
    "ldapsearch -x -w hunter22",
    "htpasswd -b file me hunter22",
    "keytool -storepass hunter22 -list",
    "sqlcmd -S x -P hunter22",
    "aws configure set aws_secret_access_key hunter22",
    "npm config set //r/:_authToken hunter22",
    "az login -u me -p hunter22",
    "docker run -e DB_PASS=hunter22 x",
    "echo 'machine x login y password hunter22' >> ~/.netrc",
    "docker login -u me -p hunter22",
    "podman login -p hunter22",
    "git config user.password hunter22",
    "chpasswd <<< 'me:hunter22'",
    "echo me:hunter22 | chpasswd",
    "echo hunter22 | sudo -S ls",
    "echo hunter22 | docker login --password-stdin",
    "mysql -u root -p'my hunter22' x",
    "sshpass -p 'my hunter22' ssh",
    "sshpass -phunter22 ssh",
    "kubectl create secret generic x --from-literal=password=hunter22",
    "kubectl create secret generic x --from-literal=pw=hunter22",
    "curl -H 'X-Api-Key: hunter22' x",
    "curl -d 'user=a&password=hunter22' x",
    "curl 'https://x/?access_token=hunter22&b=1'",
    "$env:DB_PASSWORD = 'my hunter22'",
    "set DB_PASSWORD=hunter22",
    "net use z: \\\\srv\\s hunter22 /user:me",
    "openssl enc -aes-256-cbc -k hunter22 -in x",
    "gpg --batch --passphrase 'my hunter22' -c x",
    "ansible-playbook -e 'ansible_become_pass=hunter22'",
    "vault login hunter22",
    "gh auth login --with-token <<< hunter22",
    "terraform apply -var 'db_password=hunter22'",
    "helm install --set auth.password=hunter22",
    "http -a me:hunter22 x",
    "wget --http-password hunter22 x",
    "rclone obscure hunter22",
    "pass insert -e x <<< hunter22",
    "nmcli dev wifi connect x password hunter22",
    "wpa_passphrase ssid hunter22",
    "cryptsetup open --key-file - <<< hunter22",
    "passwd: hunter22",
    "Passwort: hunter22",
    "Kennwort=hunter22",
    "SMTP_PASS=hunter22 ./send",
    "env FOO_AUTH=hunter22 ./run",
    "PASSWORD='correct horse hunter22' ./run",
    'DB_PASSWORD="a \\"hunter22\\" b" ./run',
    "export A=1 B_TOKEN=hunter22 C=2",
)


@pytest.mark.parametrize("command", IN_COMMANDS)
def test_secrets_of_commands_are_replaced(command: str) -> None:
    """The whole value goes, also one in quotation marks with spaces; the program's name stays."""
    redacted = REDACTOR.text(command)
    assert "hunter22" not in redacted
    assert "correct horse" not in redacted
    assert "[redacted: " in redacted
    assert REDACTOR.text(redacted) == redacted


@pytest.mark.parametrize("command", ["PGPASSWORD=abc psql", "PIN=4711 ./pay", "API_KEY=x ./run"])
def test_short_values_of_the_environment_are_replaced(command: str) -> None:
    """However short the value."""
    assert REDACTOR.text(command).split("=")[1].startswith("[redacted: ")


def test_a_key_without_an_end_is_replaced_to_the_end() -> None:
    """Where a key was cut off, everything after its beginning may belong to it."""
    assert REDACTOR.text(f"x -----BEGIN RSA PRIVATE KEY-----\n{A}\n{A}") == "x [redacted: private-key]"


def test_every_rule_is_tried() -> None:
    """No rule of the table is without an example above."""
    assert {rule.id for rule in RULES} == {rule for rule, _ in SECRETS}


@pytest.mark.parametrize(
    "text",
    [
        "git commit -m 'Explain how tokens and passwords are kept'",
        "grep -rn password_hash src/",
        "ls -la ~/.config/keys",
        "curl https://example.com/path?sig=short",
        "echo $GITHUB_TOKEN",
        'export API_KEY="$API_KEY"',
        "token: ${{ secrets.TOKEN }}",
        "use_auth: true",
        "git show 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
        "python -m pytest -k token --pdb",
        "docker run -u 1000:1000 image",
        "mkdir -p build",
        "sort --key 2 table.txt",
        "PWD=/home/me/project make",
        "unzip -p archive.zip notes.txt",
        "echo done | tee log.txt",
        "curl -u $USER:$PASSWORD https://x.example",
        "git config --get remote.origin.url",
        "ssh -p 2222 host",
        "mkdir -p passports && cp key_lime_pie.txt passports",
        "XAUTHORITY=/run/user/1000/x SSH_AUTH_SOCK=/run/agent ssh host",
        "Summarise my notes on asian cookery",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    """Talk about secrets, names of variables and hashes of commits are left as they are."""
    assert REDACTOR.text(text) == text


def test_records_are_redacted_all_the_way_down() -> None:
    """In lists and tables, by content and by name, and other values stay what they are."""
    record = {
        "tool": "run",
        "arguments": {
            "argv": ["x", f"gh{'p'}_{A}", "--password", "abc", "-v", "--api-key", "abc"],
            "password": "abc",
            "count": 3,
            "ok": None,
        },
    }
    assert REDACTOR.value(record) == {
        "tool": "run",
        "arguments": {
            "argv": [
                *("x", "[redacted: github-token]", "--password", "[redacted: named-secret]"),
                *("-v", "--api-key", "[redacted: named-secret]"),
            ],
            "password": "[redacted: named-secret]",
            "count": 3,
            "ok": None,
        },
    }


@given(st.lists(st.sampled_from([text for _, text in SECRETS] + ["ls", "'", "\n"]), max_size=6))
def test_redacting_twice_changes_nothing_more(texts: list[str]) -> None:
    """No rule takes the mark of another for a secret, and none hides a secret from the next."""
    once = REDACTOR.text(" ".join(texts))
    assert REDACTOR.text(once) == once
    assert not any(mark in once for mark in FINGERPRINTS)


def test_a_secret_at_the_cut_is_not_halved() -> None:
    """A long text keeps whole words only, so that no half token stays unrecognised."""
    token = f"gh{'p'}_{A}"
    for shift in range(0, 40, 3):
        text = "x" * (LIMIT_CHARACTERS // 2 - shift) + " " + token + " " + "word " * 5000
        assert "ghp_" not in REDACTOR.text(text)
    assert len(REDACTOR.text("a" * 100_000)) < 100


@pytest.mark.parametrize(
    "text",
    [
        "-----BEGIN PRIVATE KEY-----" * 600,
        "password=" * 1800,
        "a_" * 8000 + "password",
        "mysql " * 2700,
        "://" * 5300,
        "eyJ" * 5300,
        "zip " * 4000,
        "echo " * 3200,
        "config " * 2200,
        "a_" * 6000 + "PASS=",
        "login x password " * 900,
        "sudo <<< " * 1700,
        "http x -a " * 1600,
        "authorization: " * 1000,
        "--pass-" * 2200,
        "A" * 16_000 + " token=",
    ],
)
def test_time_stays_small_for_texts_made_to_be_slow(text: str) -> None:
    """Words that begin many matches and end none do not hold up the log."""
    begun = time.process_time()
    REDACTOR.text(text)
    assert time.process_time() - begun < 0.5
