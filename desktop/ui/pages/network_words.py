"""What has left this computer, in the words of the status line and of the Network page."""

from __future__ import annotations

from datetime import datetime

from desktop.network import RequestRecord, Traffic
from desktop.ui.language import plural, size_text, told, tr


def traffic_words(traffic: Traffic, offline: bool) -> str:
    """For the status line: `no network since 10:42`."""
    if traffic.under_way:
        return tr("network in use")
    return tr("offline") if offline else tr("no network since {time}", time=_quiet_since(traffic))


def requests_words(traffic: Traffic) -> str:
    """What the status line tells besides when it is pointed at: `No network since 10:42, 0 requests.`"""
    if traffic.under_way:
        return plural("{count} request so far.", "{count} requests so far.", traffic.requests)
    return plural(
        "No network since {time}, {count} request.",
        "No network since {time}, {count} requests.",
        traffic.requests,
        time=_quiet_since(traffic),
    )


def traffic_sentence(traffic: Traffic, started: datetime) -> str:
    """For the page: how many requests since when."""
    begun = f"{started.astimezone():%H:%M}"
    if not traffic.requests:
        return tr("Nothing has left this computer since Steward started at {time}.", time=begun)
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


def heading(record: RequestRecord) -> str:
    """`Download of Qwen: huggingface.co`."""
    where = record.host or tr("the package index, by pip")
    return tr("{why}: {where}", why=told(record.why), where=where)


def captions(record: RequestRecord) -> tuple[str, ...]:
    """When, what, how it ended and how much came; below each other."""
    moment = f"{datetime.fromisoformat(record.at).astimezone():%H:%M:%S}"
    ended = tr("{seconds} s, ended with: {outcome}", seconds=f"{record.seconds:.1f}", outcome=record.outcome)
    came = tr("{size} received", size=size_text(record.received_bytes))
    asked = f"{record.method} {record.path}".strip()
    return f"{moment} · {came} · {ended}", asked


def _quiet_since(traffic: Traffic) -> str:
    return f"{traffic.quiet_since.astimezone():%H:%M}"
