"""Secrets never reach the log, and what is no secret does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.gate.redaction import LIMIT_CHARACTERS, Redactor, read_rules
from desktop.paths import resources
from tests.processor_time import processor_time

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
    ("program-password", "curl -u me:hunter22 https://x.example"),
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
    ("quoted-secret", "psql -c \"ALTER USER me WITH PASSWORD 'hunter22'\""),
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
    'curl -H "Authorization: ApiKey hunter22hunter" x',
    "sudo -S ls <<EOF\nhunter22\nEOF",
    "yes hunter22 | passwd",
    "lftp -u me,hunter22 host",
    "ncftpput -u me -p hunter22 host",
    "rdesktop -u me -p hunter22 host",
    "mount -t cifs -o user=me,pass=hunter22 //x /y",
    "ipmitool -U admin -P hunter22 power",
    "snmpget -v3 -A hunter22 -X hunter22 h",
    "mosquitto_pub -u me -P hunter22 -t x",
    "cqlsh -u me -p hunter22",
    "winexe -U me%hunter22 //h cmd",
    "net user me hunter22 /add",
    "schtasks /create /ru me /rp hunter22",
    "openssl passwd -1 hunter22",
    "htpasswd -nb me hunter22",
    "mkpasswd hunter22",
    "mkpasswd -m sha-512 hunter22",
    "usermod -p hunter22 me",
    "useradd -m -p hunter22 me",
    "doveadm pw -p hunter22",
    "pdftk in.pdf output o.pdf user_pw hunter22",
    "qpdf --encrypt hunter22 hunter22 256 -- a b",
    "pdftotext -upw hunter22 a.pdf",
    "security add-generic-password -a me -s x -w hunter22",
    "security unlock-keychain -p hunter22 x",
    "bw login me@x.example hunter22",
    "bw unlock hunter22",
    "docker secret create x - <<< hunter22",
    "flyctl secrets set NAME=hunter22",
    "gh secret set NAME --body hunter22",
    "gh secret set NAME -b hunter22",
    "doppler secrets set X=hunter22",
    "vault kv put secret/x foo=hunter22",
    "aws ssm put-parameter --name x --type SecureString --value hunter22",
    "aws secretsmanager create-secret --name x --secret-string hunter22",
    "az keyvault secret set --name x --value hunter22",
    "twine upload -u me -p hunter22 dist/*",
    "cargo login hunter22hunter",
    "poetry config pypi-token.pypi hunter22",
    "poetry config http-basic.x me hunter22",
    "composer config http-basic.x.example me hunter22",
    'curl "https://x/?key=hunter22"',
    'curl "https://x/?auth=hunter22&b=1"',
    "curl -b 'session=hunter22' x",
    "curl --cookie session=hunter22 x",
    "curl --tlspassword hunter22 x",
    "curl -E c.pem:hunter22 x",
    "curl --cert c.pem:hunter22 x",
    "http -A bearer -a hunter22 x",
    "psql -c \"CREATE USER x IDENTIFIED BY 'hunter22'\"",
    "psql -c \"ALTER USER postgres WITH PASSWORD 'hunter22'\"",
    "sqlite3 x \"PRAGMA key='hunter22'\"",
    'python -c \'os.environ["X_TOKEN"] = "hunter22"\'',
    "rclone config create x sftp pass hunter22",
    "smbclient //a/b hunter22 -U me",
    "ldappasswd -s hunter22 -w hunter22 x",
    "kinit me <<< hunter22",
    "rar a -hphunter22 a b",
    "steghide embed -p hunter22 -cf x",
    "ffmpeg -encryption_key hunter22 -i x",
    "ssh-keygen -p -P hunter22 -N hunter22 -f x",
    "nmap --script-args user=a,pass=hunter22",
    "hydra -l me -p hunter22 ssh",
    "xfreerdp /u:me /p:hunter22 /v:h",
    "evil-winrm -u me -p hunter22",
    "plink -pw hunter22 me@h",
    "pscp -pw hunter22 a h:",
    "putty -pw hunter22",
    "New-Object PSCredential me, (ConvertTo-SecureString 'hunter22' -AsPlainText -Force)",
    "ConvertTo-SecureString -String hunter22 -AsPlainText -Force",
    "sqlplus me/hunter22@db",
    "impdp me/hunter22 dumpfile=x",
    "isql -U me -P hunter22",
    "tsql -S x -U me -P hunter22",
    "dropbear -Y hunter22",
    "heroku config:set SECRET_KEY_BASE=hunter22",
    "setx API_KEY hunter22",
    'setx DB_PASSWORD "hunter22 x"',
    "fish -c 'set -x API_KEY hunter22'",
    "set -gx GITHUB_TOKEN hunter22",
    "read -r PASS <<< hunter22",
    "Server=x;Uid=y;Pwd=hunter22;",
    "Private-Lines: 2\nhunter22\nhunter22\nPrivate-MAC: hunter22",
    "7z x -phunter22 -phunter22",
    "docker login -u me -p hunter22 -p hunter22",
    "curl -u me:hunter22 -U me:hunter22 x",
    "oathtool --totp -b HUNTER22hunter22",
    "app --dbpassword hunter22",
    "app --pw hunter22",
    "app --pwd hunter22",
    "app --pin 4711hunter22",
    "app --credential hunter22",
    "app --api_key hunter22",
    "app --license-key hunter22",
    "app --admin_password hunter22",
    "ENV DB_PASS hunter22",
    "ENV API_TOKEN hunter22",
    "<password>hunter22</password>",
    "Authorization: AWS4-HMAC-SHA256 Credential=AKxx/2020, Signature=hunter22hunter22",
    'Authorization: Digest username="u", response="hunter22hunter22"',
    'passphrase "hunter22"',
    "git clone https://hunter22hunter22hunter22hunter@forge.example.com/x",
    "cryptsetup open d x --key-file <(echo hunter22)",
    "restic -r x --password-command 'echo hunter22' ls",
    "printf '%s' hunter22 | docker login --password-stdin",
    "vercel env add X production <<< hunter22",
    "wrangler secret put X --value hunter22",
    "su -c x <<< 'hunter22'",
    "iwconfig wlan0 key hunter22",
    "snowsql -p hunter22",
    "rabbitmqctl add_user u hunter22",
    "certutil -p hunter22 -importpfx a.pfx",
    "signtool sign /p hunter22 x",
    "doctl auth init -t hunter22",
    "bundle config set --global gems.example.com u:hunter22",
    "dotnet nuget push x -k hunter22",
    "nuget setapikey hunter22",
    "tailscale up --authkey hunter22",
    "cloudflared service install hunter22",
    "mysqladmin -u root password hunter22",
    "mysql -e \"set password for u = 'hunter22'\"",
    "mongosh --eval \"db.createUser({user:'u',pwd:'hunter22'})\"",
    "redis-cli config set requirepass hunter22",
    "redis-cli auth hunter22",
    "duckdb -c \"create secret (type s3, secret 'hunter22')\"",
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


@pytest.mark.parametrize(
    "text",
    [
        f"-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,AB\n\n{A}\n{A}\n"
        "-----END RSA PRIVATE KEY-----",
        f"-----BEGIN PGP PRIVATE KEY BLOCK-----\nComment: a - b\n\n{A}\n-----END PGP PRIVATE KEY BLOCK-----",
        f"Private-Lines: 2\n{A}\n{A}\nPrivate-MAC: {HEX}",
        f"{A}\n{A}\n-----END OPENSSH PRIVATE KEY-----",
    ],
)
def test_keys_with_headers_and_cut_keys_are_replaced_whole(text: str) -> None:
    """Headers with hyphens do not end a key, and what stands before its last line belongs to it."""
    told = REDACTOR.text(f"before\n{text}\nafter")
    assert told == "before\n[redacted: private-key]\nafter"


def test_a_key_longer_than_the_limit_leaves_nothing_behind() -> None:
    """Of a text that is shortened in the midst of a key neither half of the key is kept."""
    lines = "\n".join([A * 2] * 400)
    text = f"cat > x <<EOF\n-----BEGIN PRIVATE KEY-----\n{lines}\n-----END PRIVATE KEY-----\nEOF\nls"
    told = REDACTOR.text(text)
    assert A not in told
    assert told.startswith("cat > x <<EOF\n")
    assert told.endswith("\nEOF\nls")


def test_one_program_is_given_many_secrets() -> None:
    """Each of them goes in the first pass, also where the marks of the others are longer than they were."""
    text = "7z x " + " ".join(f"-phunter22{place}" for place in range(20))
    told = REDACTOR.text(text)
    assert "hunter22" not in told
    assert REDACTOR.text(told) == told


def test_a_text_cannot_bring_marks_of_its_own() -> None:
    """The characters that stand for a replaced secret in between are none of the text's."""
    assert REDACTOR.text("password: \ue000hunter22 \ue001") == "password: [redacted: assigned-secret] \ufffd"


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


@pytest.mark.parametrize(
    "words",
    [
        ["7z", "x", "-phunter22"],
        ["curl", "-u", "me:hunter22", "x"],
        ["redis-cli", "-a", "hunter22", "ping"],
        ["sshpass", "-p", "two hunter22 words", "ssh"],
        ["docker", "login", "-u", "me", "-p", "hunter22"],
        ["mysql", "-phunter22 x", "app"],
        ["htpasswd", "-nb", "me", "hunter22"],
        ["openssl", "enc", "-k", "it's hunter22"],
        ["bash", "-lc", "redis-cli -a hunter22 ping"],
        ["x", "--token", "hunter22"],
        ["x", "--token", "x" * 2000 + "hunter22"],
    ],
)
def test_secrets_in_lists_of_arguments_are_replaced(words: list[str]) -> None:
    """Although the program and its secret are two texts; one with spaces goes whole, once is enough."""
    told = REDACTOR.value({"argv": words})
    assert "hunter22" not in str(told)
    assert "words" not in str(told)
    assert told["argv"][0].startswith(words[0])
    assert REDACTOR.value(told) == told


@given(
    st.lists(
        st.sampled_from(["ls", "a b", "it's", '"', "\x1f", "\n", "-m", "-u", "key", "é|", ""]), max_size=8
    )
)
def test_lists_without_a_secret_stay_as_they_are(words: list[str]) -> None:
    """Word by word, whatever stands in them."""
    assert REDACTOR.value({"argv": words})["argv"] == words


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


@pytest.mark.parametrize("end", ["==", "=", ""])
@pytest.mark.parametrize("between", ['", "', '"} {"', '","', '"}\n{"'])
def test_a_header_does_not_take_the_name_of_the_next_secret_along(between: str, end: str) -> None:
    """The `=` at the end of base64 begins no parameter in quotation marks."""
    told = REDACTOR.text(f'{{"Authorization": "Basic {A}{end}{between}client_secret": "hunter22"}}')
    assert not any(mark in told for mark in FINGERPRINTS)
    assert "client_secret" in told


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
    with processor_time() as spent:
        REDACTOR.text(text)
    assert spent.at_rest_s < 0.5
