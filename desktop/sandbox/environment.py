"""The environment of a child: what programs need to work, and nothing that opens a door.

Only listed names are handed on, and of those none whose name or value looks like a secret; so a token in a
name that nobody has heard of stays behind too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

ALLOWED = frozenset(
    {
        *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "HOSTNAME"),
        *("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_DATA_DIRS"),
        *("VIRTUAL_ENV", "CONDA_PREFIX", "PYENV_ROOT", "NVM_DIR", "JAVA_HOME", "GOPATH", "GOROOT"),
        *("CARGO_HOME", "RUSTUP_HOME", "ANDROID_HOME", "SSL_CERT_FILE", "SSL_CERT_DIR"),
        *("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY"),
        # Windows
        *("SYSTEMROOT", "WINDIR", "COMSPEC", "PATHEXT", "APPDATA", "LOCALAPPDATA", "USERPROFILE"),
        *("USERNAME", "HOMEDRIVE", "HOMEPATH", "PROGRAMDATA", "PROGRAMFILES", "PROGRAMFILES(X86)"),
        *("SYSTEMDRIVE", "ALLUSERSPROFILE", "PUBLIC", "TEMP", "TMP", "PSMODULEPATH", "COMMONPROGRAMFILES"),
        *("PROGRAMW6432", "NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE"),
    }
)
ALLOWED_BEGINNINGS = ("LC_",)
SECRET_NAME = re.compile(
    r"TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|APIKEY|COOKIE|_PAT$|_DSN$|(?:^|_)(?:KEY|KEYS|PWD|AUTH|PIN)$",
    re.I,
)
USER_IN_ADDRESS = re.compile(r"://[^/\s]*@")

# Nobody sits at a terminal: no pager, no colours, no question, no lock taken only to be faster next time.
FIXED = {
    "TERM": "dumb",
    "NO_COLOR": "1",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "MANPAGER": "cat",
    "SYSTEMD_PAGER": "",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "DEBIAN_FRONTEND": "noninteractive",
}


def clean(environment: Mapping[str, str]) -> dict[str, str]:
    """What of `environment` a child gets, with what says that no terminal is there."""
    return {name: value for name, value in environment.items() if is_handed_on(name, value)} | FIXED


def is_handed_on(name: str, value: str) -> bool:
    listed = name.upper() in ALLOWED or name.startswith(ALLOWED_BEGINNINGS)
    return listed and not is_secret(name, value)


def is_secret(name: str, value: str) -> bool:
    """By its name, or by a user and password in an address (proxies have those)."""
    return SECRET_NAME.search(name) is not None or USER_IN_ADDRESS.search(value) is not None
