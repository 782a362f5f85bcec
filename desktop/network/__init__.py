"""The only way out of this computer."""

from desktop.network.abort import AbortHandle
from desktop.network.client import JSON_LIMIT_BYTES, Network, Response
from desktop.network.failures import KEPT, NetworkFailure
from desktop.network.log import LOG_LENGTH, RequestRecord, Traffic, TrafficChanged, because
from desktop.network.pages import PageLimits, WebPage
from desktop.network.reasons import NetworkReason

__all__ = [
    "JSON_LIMIT_BYTES",
    "KEPT",
    "LOG_LENGTH",
    "AbortHandle",
    "Network",
    "NetworkFailure",
    "NetworkReason",
    "PageLimits",
    "RequestRecord",
    "Response",
    "Traffic",
    "TrafficChanged",
    "WebPage",
    "because",
]
