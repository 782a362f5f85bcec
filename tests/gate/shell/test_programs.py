"""Programs by family: what they do without options, and what flips it."""

from __future__ import annotations

import pytest

from desktop.gate.shell.classifier import Classifier
from desktop.gate.verdict import Effect, Flag, Gate

ROWS = """
READ    ls -la /etc
READ    cat notes.txt | sort | uniq -c
CREATE  cp a b
DELETE  cp /dev/null a
UPDATE  mv a b
CREATE  ln -s a b
UPDATE  ln -sf a b
CREATE  touch a
UPDATE  touch -d yesterday a
UPDATE  chmod +x a
DELETE  rm a
CREATE  mkdir -p a/b
CREATE  echo a > b
UPDATE  echo a >> b
DELETE  > b
DELETE  : > b
UPDATE  echo a > /etc/hosts
UPDATE  sort b | tee b
DELETE  echo a > /dev/sda
READ    echo a > /dev/null
UPDATE  gzip a
CREATE  gzip -k a
READ    gzip -c a
READ    gunzip -c a.gz
CREATE  zstd a
READ    tar tf a.tar
CREATE  tar xf a.tar
UPDATE  tar rf a.tar b
DELETE  truncate -s 0 a
UPDATE  truncate -s +1M a
UPDATE  rsync -a a/ b/
DELETE  rsync -a --delete a/ b/
READ    rsync -an --delete a/ b/
CREATE  dd if=a of=b
DELETE  dd if=a of=/dev/sdb
READ    find . -name x
DELETE  find . -delete
CREATE  find . -fprint out
DELETE  find . -exec rm {} +
READ    sed -n 1p a
UPDATE  sed -i s/a/b/ a
CREATE  sed -n 'w out' a
READ    awk '{print $1}' a
CREATE  awk '{print > "b"}' a
DELETE  awk 'BEGIN{system("rm a")}'
READ    git status
READ    git stash list
UPDATE  git stash
DELETE  git stash drop
READ    git branch -a
CREATE  git branch x
DELETE  git branch -D x
UPDATE  git checkout main
CREATE  git checkout -b x
DELETE  git checkout -- a
DELETE  git checkout .
UPDATE  git reset HEAD~1
DELETE  git reset --hard
UPDATE  git push
DELETE  git push --force-with-lease
DELETE  git push origin :x
READ    git push --dry-run
CREATE  git commit -m x
UPDATE  git commit --amend
READ    git config user.name
UPDATE  git config user.name me
DELETE  git config --unset user.name
DELETE  git clean -fd
READ    git clean -nd
UPDATE  git rm --cached a
DELETE  git config alias.x '!rm a'
READ    docker ps
CREATE  docker run alpine ls
DELETE  docker run alpine rm -rf /x
UPDATE  docker stop web
DELETE  docker rm web
UNKNOWN docker exec -it web bash
READ    docker compose logs
DELETE  docker compose down
READ    kubectl get pods
UPDATE  kubectl apply -f x
READ    kubectl apply --dry-run=server -f x
DELETE  kubectl delete pod x
UPDATE  kubectl scale deploy x --replicas 2
READ    helm list
UPDATE  helm upgrade a b
READ    terraform plan
CREATE  terraform plan -out=p
UPDATE  terraform apply
DELETE  terraform destroy
READ    aws ec2 describe-instances
CREATE  aws s3 cp a s3://b/
READ    aws s3 cp s3://b/a -
DELETE  aws ec2 terminate-instances --instance-ids x
UNKNOWN aws lambda invoke --function-name x out
READ    gcloud compute instances list
DELETE  gcloud compute instances delete x
READ    az vm list
UPDATE  az vm start -n x
CREATE  pip install x
UPDATE  pip install -U x
DELETE  pip uninstall x
CREATE  npm ci
UNKNOWN npm test
DELETE  npm prune
READ    npm audit
UPDATE  npm audit fix
CREATE  cargo build
UNKNOWN cargo test
READ    cargo fmt -- --check
READ    go vet ./...
UPDATE  go get -u ./...
UNKNOWN make
UNKNOWN make -n
READ    apt list
UPDATE  apt update
CREATE  apt install x
DELETE  apt autoremove
READ    apt-get -s upgrade
READ    pacman -Qi x
CREATE  pacman -S x
UPDATE  pacman -Syu
DELETE  pacman -Rns x
READ    brew info x
UPDATE  brew upgrade
READ    systemctl status x
CREATE  systemctl start x
UPDATE  systemctl restart x
DELETE  systemctl kill x
READ    ip addr
READ    ip r
UPDATE  ip link set eth0 up
DELETE  ip route del default
READ    iptables -L
DELETE  iptables -F
UPDATE  mount /dev/sdb1 /mnt
READ    mount
DELETE  mkfs.ext4 /dev/sdb1
READ    kill -0 1
UPDATE  kill -HUP 1
DELETE  kill 1
DELETE  shutdown -h now
READ    curl -s https://example.com
CREATE  curl -o a https://example.com
CREATE  curl -d x https://example.com
UPDATE  curl -X PUT -d x https://example.com
DELETE  curl -X DELETE https://example.com
CREATE  wget https://example.com
READ    wget -qO- https://example.com
READ    psql -c 'SELECT 1'
CREATE  psql -c 'INSERT INTO t VALUES (1)'
UPDATE  psql -c 'UPDATE t SET a = 1'
DELETE  psql -c 'ALTER TABLE t DROP COLUMN a'
READ    psql -c 'EXPLAIN DELETE FROM t'
DELETE  psql -c 'EXPLAIN ANALYZE DELETE FROM t'
UNKNOWN psql db
UNKNOWN psql -f x.sql
UPDATE  redis-cli set a b
DELETE  redis-cli del a
READ    python -c 'print(1)'
DELETE  python -c 'import os; os.remove("a")'
CREATE  python -c 'open("a", "w")'
UNKNOWN python -c 'import mine'
UNKNOWN python a.py
CREATE  python -m venv .venv
UPDATE  vim a
READ    view a
DELETE  vim -es -c '%d' -c wq a
DELETE  eval 'rm a'
UNKNOWN eval "$x"
READ    . .venv/bin/activate
UNKNOWN . ./x.sh
DELETE  alias ls='rm -rf'
READ    alias ll='ls -l'
DELETE  trap 'rm a' EXIT
UNKNOWN ssh host
DELETE  ssh host 'rm a'
CREATE  ssh -N -L 1:a:2 host
CREATE  tmux new -s x
READ    tmux ls
UNKNOWN some-unheard-of-program x
READ    some-unheard-of-program --version
"""
CASES = [tuple(row.split(None, 1)) for row in ROWS.strip().splitlines()]

FLAGS = {
    "cat ~/.ssh/id_rsa": {Flag.SECRET},
    "cat ~/.ssh/id_rsa.pub": set(),
    "ls -la ~/.ssh": set(),
    "cat .env": {Flag.SECRET},
    "cat .env.example": set(),
    "echo $GITHUB_TOKEN": {Flag.SECRET},
    "printenv": {Flag.SECRET},
    "env | grep -i path": set(),
    "kubectl get secret x -o yaml": {Flag.SECRET},
    'curl "https://example.com/?$(cat notes.txt)"': {Flag.SENDS},
    "sudo ls /root": {Flag.PRIVILEGED},
    "touch /srv/x": {Flag.OUTSIDE},
    "touch ../x": {Flag.OUTSIDE},
    "touch x": set(),
    "cp hook.json .claude/settings.json": {Flag.GATE},
    "steward grants list": {Flag.GATE},
    "git push": {Flag.SENDS},
}


@pytest.mark.parametrize(("name", "command"), CASES)
def test_a_command_has_its_class(classifier: Classifier, name: str, command: str) -> None:
    """The class, and that only reads pass."""
    verdict = classifier.classify(command, "bash")
    assert verdict.effect is Effect[name], verdict.reason
    assert (verdict.gate is Gate.ALLOW) == (name == "READ")


@pytest.mark.parametrize(("command", "flags"), FLAGS.items())
def test_a_command_has_its_flags(classifier: Classifier, command: str, flags: set[Flag]) -> None:
    """What a command touches stands beside its class."""
    assert classifier.classify(command, "bash").flags == flags


def test_a_folder_decides_what_is_outside(classifier: Classifier) -> None:
    """An absolute path into the working folder is inside."""
    inside = classifier.classify("touch /srv/app/x", "bash", folder="/srv/app")
    outside = classifier.classify("touch /srv/other/x", "bash", folder="/srv/app")
    assert Flag.OUTSIDE not in inside.flags
    assert Flag.OUTSIDE in outside.flags


def test_the_span_is_what_decided(classifier: Classifier) -> None:
    """The dialog underlines it; it counts characters, not bytes."""
    command = "echo 'größer' && rm -r build"
    verdict = classifier.classify(command, "bash")
    assert command[slice(*verdict.span)] == "rm"


def test_too_long_and_too_deep_are_asked(classifier: Classifier) -> None:
    """What would take long is not looked at."""
    for command in ("ls " + "a" * 3000, "$(" * 45 + "ls" + ")" * 45 + " " + "(" * 60, "echo " + "`" * 400):
        verdict = classifier.classify(command, "bash")
        assert verdict.tier == 1
        assert verdict.gate is Gate.ASK


def test_a_remembered_verdict_says_so(classifier: Classifier) -> None:
    """The second time it costs nothing, and tier 0 tells that."""
    from desktop.gate.shell.tables import Tables
    from desktop.paths import resources

    remembering = Classifier(Tables(resources() / "commands"))
    first = remembering.classify("ls")
    second = remembering.classify("ls")
    assert (first.tier, second.tier) == (2, 0)
    assert second.effect is first.effect
    assert remembering.classify("ls", "bash").tier == 2
