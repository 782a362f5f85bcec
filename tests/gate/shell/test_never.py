"""What is never done, however it is spelled; and what looks like it and is only asked about."""

from __future__ import annotations

import pytest

from desktop.gate.shell.classifier import Classifier
from desktop.gate.shell.tables import Tables
from desktop.gate.verdict import Gate
from desktop.paths import resources

FOLDER = "/home/me/project"
CLASSIFIER = Classifier(Tables(resources() / "commands"))

RUIN = {
    "bash": r"""
        rm -rf /
        rm -rf /*
        rm -rf //
        rm -fr /.
        rm -rf --no-preserve-root /
        rm -rf ~
        rm -rf ~/
        rm -rf ~/*
        rm -rf ~/.*
        rm -rf $HOME
        rm -rf "${HOME}"/*
        rm -rf -- "$HOME/"
        rm -rf ~root
        rm -rf /home/me
        rm -rf /home/*
        rm -rf /Users/me
        rm -rf /usr
        rm -rf /etc/*
        rm -rf /{bin,usr}
        rm -rf /mnt/c
        rm -rf ../..
        cd / && rm -rf *
        cd ~; rm -rf .
        cd .. && cd .. && rm -rf .
        X=/; rm -rf $X
        sudo rm -rf /
        /bin/rm -rf "/"
        \rm -rf /
        'r'm -rf /
        command rm -rf /
        env rm -rf ~/
        env A=1 nice -n 5 rm -rf /
        nohup rm -rf / &
        timeout 5 rm -rf /
        bash -c 'rm -rf /'
        sh -c "sh -c 'rm -rf /'"
        sh <<< 'rm -rf /'
        eval "rm -rf /"
        su -c 'rm -rf /'
        echo / | xargs rm -rf
        ls; (rm -rf /)
        f() { rm -rf /; }; f
        echo $(rm -rf /)
        find / -delete
        find ~ -type f -delete
        find / -exec rm -rf {} +
        sudo find / -xdev -depth -delete
        mv ~ /dev/null
        mv / /tmp/x
        rsync -a --delete /tmp/empty/ ~/
        git clean -fdx /
        mkfs.ext4 /dev/sda
        mkfs -t ext4 /dev/nvme0n1p2
        wipefs -a /dev/sda
        shred /dev/sda
        dd if=/dev/zero of=/dev/sda bs=1M
        dd of=/dev/disk/by-id/usb-stick < image
        cat x > /dev/sda
        cp /dev/zero /dev/sda
        tee /dev/nvme0n1 < x
        truncate -s 0 /dev/sda
        blkdiscard /dev/sda
        parted /dev/sda mklabel gpt
        sgdisk -Z /dev/sda
        cryptsetup luksFormat /dev/sda
        hdparm --security-erase x /dev/sda
        nvme format /dev/nvme0n1
        pvcreate /dev/sda
        mkswap /dev/sda
        diskutil eraseDisk JHFS+ x disk2
        chmod -R 000 /
        chmod -R 777 /etc
        chmod -R 000 ~
        chmod -R a-rwx $HOME
        chown -R me /
        chown -R me:me /usr
        chattr -R +i /
        :(){ :|:& };:
        bomb() { bomb | bomb & }; bomb
        x() { x & x & }; x
    """,
    "powershell": r"""
        Remove-Item -Recurse -Force C:\
        Remove-Item -Recurse -Force C:\*
        Remove-Item -Recurse -Force $HOME
        Remove-Item $HOME\* -Recurse
        Remove-Item "$env:USERPROFILE\*" -Recurse
        Remove-Item -Recurse -Force $env:SystemDrive\
        Remove-Item -LiteralPath C:\Windows -Recurse
        ri -r -fo ~\*
        rm -r -fo C:\Users
        Get-ChildItem C:\ -Recurse | Remove-Item -Force -Recurse
        Get-ChildItem $HOME -Recurse -Force | rm -Recurse -Force
        Move-Item ~ D:\x
        Format-Volume -DriveLetter C
        Clear-Disk -Number 0 -RemoveData
        Initialize-Disk -Number 1
        cmd /c "rd /s /q C:\"
    """,
    "cmd": r"""
        rd /s /q C:\
        rmdir /s /q %USERPROFILE%
        rd /s /q %SystemDrive%\
        rd /s /q %SystemRoot%
        del /f /s /q C:\*.*
        format c: /y
        %0|%0
    """,
}
NOT_RUIN = {
    "bash": r"""
        rm -rf build
        rm -rf .
        rm -rf ./*
        rm -rf /home/me/project
        rm -rf /home/me/project/build
        rm -rf ~/project/node_modules
        rm -rf /tmp/x
        rm -rf /tmp/*
        rm -rf /var/lib/apt/lists/*
        rm -rf "$DIR"
        echo rm -rf /
        echo 'rm -rf /' > notes
        git commit -m 'never rm -rf /'
        grep -rn 'rm -rf /' .
        find ~ -name '*.pyc' -delete
        find . -delete
        find / -name x
        mv x ~
        rsync -a --delete ~/ /backup/
        rsync -a ~/ /backup/
        dd if=/dev/sda of=image
        dd if=/dev/zero of=/dev/loop0
        mkfs.ext4 disk.img
        parted -s /dev/sda print
        mount /dev/sda1 /mnt
        cat /dev/sda | head -c 1
        echo x > /dev/null
        chmod -R u+w ~
        chmod -R 755 build
        chown -R me ~
        chown me /srv/x
        docker run --rm alpine rm -rf /
        walk() { for x in *; do walk "$x"; done; }; walk
        start() { server & }; start
        rm -rf ~/.cache/pip
        find /system -type f -delete
        tmutil thinlocalsnapshots / 10000000000 1
        ls /
        cd / && ls
    """,
    "powershell": r"""
        Remove-Item -Path build -Recurse
        Get-ChildItem C:\ -Filter *.tmp | Remove-Item
        Get-ChildItem C:\temp | Remove-Item
        Get-ChildItem C:\
        Copy-Item x C:\
    """,
    "cmd": r"""
        rd /s /q build
        del *.tmp
        dir C:\
    """,
}


def rows(table: dict[str, str]) -> list[tuple[str, str]]:
    return [(shell, line.strip()) for shell, lines in table.items() for line in lines.strip().splitlines()]


@pytest.mark.parametrize(("shell", "line"), rows(RUIN))
def test_ruin_is_denied_however_it_is_spelled(shell: str, line: str) -> None:
    """Roots, homes, disks and fork bombs, through wrappers, variables, patterns and `cd`."""
    verdict = CLASSIFIER.classify(line, shell, FOLDER)
    assert verdict.never
    assert verdict.gate is Gate.DENY
    assert verdict.reason == verdict.never


@pytest.mark.parametrize(("shell", "line"), rows(NOT_RUIN))
def test_what_only_looks_like_ruin_is_left_to_the_user(shell: str, line: str) -> None:
    """What is narrowed, lies below, is text, or works in a container has no such denial."""
    verdict = CLASSIFIER.classify(line, shell, FOLDER)
    assert verdict.never is None
    assert verdict.gate is not Gate.DENY


def test_ruin_is_found_where_no_shell_and_no_folder_are_named() -> None:
    """A line of unknown origin is read as each shell that it may be for."""
    for line in ("rm -rf /", "Remove-Item -Recurse -Force C:\\", "rd /s /q C:\\", "cd ~ && rm -rf *"):
        assert CLASSIFIER.classify(line).never, line
