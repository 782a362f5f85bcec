"""What is said of the network: in the status line, in its help, and on the page."""

from __future__ import annotations

from datetime import datetime

from desktop.network import Traffic
from desktop.ui.language import plural, tr


def traffic_words(traffic: Traffic, offline: bool) -> str:
    """For the status line: `no network since 10:42`, only as long as nothing could have."""
    if traffic.under_way:
        return tr("network in use")
    # A command that nothing held may have used the network at any time, so no quiet since is claimed.
    if traffic.opened_at is not None:
        return plural(
            "{count} command may have used the network {time}",
            "{count} commands may have used the network {time}",
            traffic.open_commands,
            time=_clock(traffic.opened_at),
        )
    return tr("offline") if offline else tr("no network since {time}", time=_quiet_since(traffic))


def requests_words(traffic: Traffic) -> str:
    """What the status line tells besides when it is pointed at: `No network since 10:42, 0 requests.`"""
    if traffic.opened_at is not None:
        ours = plural(
            "{count} request by Steward itself.", "{count} requests by Steward itself.", traffic.requests
        )
        return f"{ours} {_commands_sentence(traffic, traffic.opened_at)}"
    if traffic.under_way:
        return plural("{count} request so far.", "{count} requests so far.", traffic.requests)
    return plural(
        "No network since {time}, {count} request.",
        "No network since {time}, {count} requests.",
        traffic.requests,
        time=_quiet_since(traffic),
    )


def traffic_sentence(traffic: Traffic, started: datetime) -> str:
    """The sentence for the page: how many requests since when."""
    begun = _clock(started)
    if traffic.opened_at is not None:
        return tr(
            "Requests by Steward itself since the start at {time}: {count}. {commands}",
            time=begun,
            count=traffic.requests,
            commands=_commands_sentence(traffic, traffic.opened_at),
        )
    if not traffic.requests:
        return tr("Steward has requested nothing from the network since it started at {time}.", time=begun)
    if traffic.under_way:
        return tr(
            "The network is in use. Requests since the start at {time}: {count}.",
            time=begun,
            count=traffic.requests,
        )
    return tr(
        "No network since {quiet}. Requests since the start at {time}: {count}.",
        quiet=_quiet_since(traffic),
        time=begun,
        count=traffic.requests,
    )


def _commands_sentence(traffic: Traffic, opened_at: datetime) -> str:
    return plural(
        "{count} command began at {time} that nothing kept from the network.",
        "{count} commands were started that nothing kept from the network, the latest at {time}.",
        traffic.open_commands,
        time=_clock(opened_at),
    )


def _quiet_since(traffic: Traffic) -> str:
    return _clock(traffic.quiet_since)


def _clock(moment: datetime) -> str:
    return f"{moment.astimezone():%H:%M}"
