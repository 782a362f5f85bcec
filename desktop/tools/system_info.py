"""This computer and its clock: what "What is my IP address?" and "What time is it?" need, without a shell."""

from __future__ import annotations

import platform
import socket
from collections.abc import Callable
from datetime import datetime

import psutil

from desktop.gate.verdict import Effect
from desktop.tools.reasons import ToolReason
from desktop.tools.tool import Tool, ToolHint, tool

GB = 1e9
# A disk that is an image of one program, and file systems that are no disks.
NO_DISKS = frozenset({"squashfs", "tmpfs", "overlay", "devtmpfs", "autofs", "iso9660"})

SYSTEM_INFO_HINT = ToolHint(
    r"^(?=.*\b(ip|memory|ram|disk|drive|storage|space|battery|cpu|processor|computer|hostname|akku"
    r"|speicher\w*|festplatte|prozessor|rechner|arbeitsspeicher|ip-adresse)\b)(?=.*\b(my|i|this|free|full"
    r"|left|here|charging|mein\w*|ich|dieser?|frei\w*|voll|noch)\b)",
)


def info_tool() -> Tool:
    """Reads only what any program may read."""
    return tool(system_info, Effect.READ, verb=ToolReason.VERB_SYSTEM_INFO, hint=SYSTEM_INFO_HINT)


def system_info() -> str:
    """Show this computer's IP address, free memory, disk space, battery and processor."""
    lines = [*_addresses(), _memory(), *_disks(), _battery(), _processor(), _system()]
    return "\n".join(line for line in lines if line)


def _system() -> str:
    return f"System: {platform.system()} {platform.release()}, computer name {socket.gethostname()}"


def _processor() -> str:
    physical = psutil.cpu_count(logical=False) or psutil.cpu_count() or 1
    return f"Processor: {physical} cores, {psutil.cpu_percent(interval=0.1):.0f} % busy"


def _memory() -> str:
    memory = psutil.virtual_memory()
    return f"Memory: {memory.available / GB:.1f} GB free of {memory.total / GB:.1f} GB"


def _disks() -> list[str]:
    lines = {}
    for part in psutil.disk_partitions(all=False):
        if part.fstype in NO_DISKS or part.device in lines:
            continue
        try:
            usage = psutil.disk_usage(part.mountpoint)
        except OSError:  # a drive without a disk in it, or one that this user may not look at
            continue
        free, total = usage.free / GB, usage.total / GB
        lines[part.device] = f"Disk {part.mountpoint}: {free:.0f} GB free of {total:.0f} GB"
    return list(lines.values())


def _battery() -> str:
    battery = psutil.sensors_battery() if hasattr(psutil, "sensors_battery") else None
    if battery is None:
        return "Battery: none"
    return f"Battery: {battery.percent:.0f} %, {'charging' if battery.power_plugged else 'discharging'}"


def _addresses() -> list[str]:
    lines = []
    for name, found in psutil.net_if_addrs().items():
        for address in found:
            plain = address.address.split("%")[0]
            if address.family in (socket.AF_INET, socket.AF_INET6) and not _is_loopback(plain):
                lines.append(f"IP address ({name}): {plain}")
    return sorted(lines, key=lambda line: ":" in line.split("): ")[1]) or ["IP address: no network"]


def _is_loopback(address: str) -> bool:
    return address.startswith("127.") or address == "::1"


CURRENT_TIME_HINT = ToolHint(
    r"\b(what|which|tell|check|current|know|how late|wie|welche\w*|wann|sag\w*)\b.*\b(time|date|day|late"
    r"|uhr\w*|spät|datum|tag|wochentag)\b.*(\bit\b|\bnow\b|\btoday\b|\bheute\b|\bjetzt\b|\bes"
    r"\b|\bplease\b)|\b(current|today.?s) (time|date)\b|\b(the|what) (date|time|day) (is it|today|now)"
    r"\b|\bthe (date|time)[,.?]?( please)?\W*$|\buhrzeit\b",
)


def _now() -> datetime:
    return datetime.now().astimezone()


def time_tool(now: Callable[[], datetime] = _now) -> Tool:
    """`now` gives an aware time."""

    def current_time() -> str:
        """Show the current time, date and weekday."""
        at = now()
        return f"{at:%H:%M:%S} on {at:%A, %Y-%m-%d}, time zone {at.tzname()} (UTC{at:%z})"

    return tool(current_time, Effect.READ, verb=ToolReason.VERB_CURRENT_TIME, hint=CURRENT_TIME_HINT)
