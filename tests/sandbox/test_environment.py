"""What a child's environment holds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.sandbox.environment import FIXED, clean, is_secret


@pytest.mark.parametrize(
    "name",
    [
        *(
            "GITHUB_TOKEN",
            "OPENAI_API_KEY",
            "AWS_SECRET_ACCESS_KEY",
            "DB_PASSWORD",
            "PGPASSWORD",
            "SSH_AUTH_SOCK",
        ),
        *(
            "LC_SECRET",
            "KEY",
            "X_PIN",
            "SENTRY_DSN",
            "GPG_PASSPHRASE",
            "SESSION_COOKIE",
            "DBUS_SESSION_BUS_ADDRESS",
        ),
        *("BASH_ENV", "LD_PRELOAD", "PYTHONPATH", "GIT_SSH_COMMAND", "XDG_RUNTIME_DIR", "MY_OWN_THING"),
    ],
)
def test_secrets_and_doors_stay_behind(name: str) -> None:
    """Neither what is named like a secret, nor what is not known to be harmless, is handed on."""
    assert name not in clean({name: "value", "PATH": "/bin"})


@pytest.mark.parametrize(
    "name", ["PATH", "HOME", "LANG", "LC_ALL", "VIRTUAL_ENV", "SystemRoot", "https_proxy"]
)
def test_what_programs_need_is_handed_on(name: str) -> None:
    """Path, home, language and proxies are there."""
    assert clean({name: "value"})[name] == "value"


def test_a_password_in_an_address_stays_behind() -> None:
    """A proxy with a user name is no longer a plain address."""
    assert "HTTPS_PROXY" not in clean({"HTTPS_PROXY": "http://me:secret@proxy.example:3128"})
    assert "HTTPS_PROXY" in clean({"HTTPS_PROXY": "http://proxy.example:3128"})


@given(st.dictionaries(st.text(min_size=1), st.text()))
def test_no_secret_ever_passes(given_environment: dict[str, str]) -> None:
    """Whatever is in the environment, no secret comes out, and what says that no terminal is there does."""
    cleaned = clean(given_environment)
    assert FIXED.items() <= cleaned.items()
    assert not any(is_secret(name, value) for name, value in cleaned.items())
