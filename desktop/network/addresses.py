"""Which numeric addresses belong to the open network.

IPv6 has many ways of carrying an address of IPv4, for hosts and gateways that translate or tunnel. What such
an address reaches is the IPv4 host in it, so that one is judged. Beside those only what is given out for the
open network counts (2000::/3), without the parts of it that are set aside.

A network may translate with a prefix of its own (RFC 6052); such an address looks like any other.

With IPv6 most computers and their neighbours have addresses of the open network. `is_reachable` leaves those
of this computer out, and what lies beside them.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

_ALL = 0xFFFF_FFFF
GLOBAL_UNICAST = IPv6Network("2000::/3")
# What a provider gives one customer (RFC 6177); an interface has only a part of it, or one address.
WIDEST_BITS = 56
# Whose names, and all below them, never lead to the open network (RFC 6761, 6762, 8375; ICANN 2024).
NEAR = (".localhost", ".local", ".home.arpa", ".internal")

# Set aside, and not known as such to every Python that Steward runs on.
SET_ASIDE_4 = tuple(
    IPv4Network(each)
    for each in (
        "0.0.0.0/8",  # this network
        "100.64.0.0/10",  # shared among the customers of a provider
        "192.0.0.0/24",  # protocol assignments
        "192.88.99.0/24",  # relays of 6to4, given up
        "198.18.0.0/15",  # measurements
        "224.0.0.0/4",  # groups
        "240.0.0.0/4",  # for later, and everybody
    )
)
SET_ASIDE_6 = tuple(
    IPv6Network(each)
    for each in (
        "2001::/23",  # protocol assignments
        "2001:db8::/32",  # for books
        "3fff::/20",  # for books
    )
)


@dataclass(frozen=True)
class Carrier:
    """A kind of IPv6 address that carries one of IPv4, and where in it."""

    name: str
    carries: Callable[[IPv6Address], bool]
    shift_bits: int = 0
    inverted: bool = False

    def carried(self, address: IPv6Address) -> IPv4Address:
        # Teredo writes the client's address with all bits turned, so that routers leave it alone.
        value = int(address) >> self.shift_bits & _ALL
        return IPv4Address(value ^ _ALL if self.inverted else value)


def _within(network: str) -> Callable[[IPv6Address], bool]:
    return IPv6Network(network).__contains__


def _is_isatap(address: IPv6Address) -> bool:
    """RFC 5214: a known pattern in the second half, below any prefix; the universal bit may be set."""
    return int(address) >> 32 & 0xFDFF_FFFF == 0x0000_5EFE


CARRIERS = (
    Carrier("mapped", _within("::ffff:0:0/96")),  # RFC 4291
    Carrier("translated", _within("::ffff:0:0:0/96")),  # RFC 2765
    Carrier("compatible", _within("::/96")),  # RFC 4291; :: and ::1 carry 0.0.0.0 and 0.0.0.1
    Carrier("NAT64", _within("64:ff9b::/96")),  # RFC 6052
    Carrier("6to4", _within("2002::/16"), shift_bits=80),  # RFC 3056
    Carrier("Teredo (server)", _within("2001::/32"), shift_bits=64),  # RFC 4380
    Carrier("Teredo (client)", _within("2001::/32"), inverted=True),
    Carrier("ISATAP", _is_isatap),
)


def is_public(address: str) -> bool:
    """Whether a numeric address is of the open network, also where IPv6 carries one of IPv4."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    return _is_public_4(found) if isinstance(found, IPv4Address) else _is_public_6(found)


def is_reachable(address: str) -> bool:
    """Whether a page may be fetched from there: of the open network, and none of this computer's own
    addresses or of the networks that they are in, by whatever it is carried.
    """
    if not is_public(address):
        return False
    reached = list(_reached(ip_address(address.partition("%")[0])))
    # Asked each time: a laptop goes from one network to the next.
    return not any(each in network for network in own_networks() for each in reached)


def is_public_name(host: str) -> bool:
    """Whether whoever looks `host` up takes it for a name of the open network, by its letters alone.

    For a host that this computer cannot look up, and a proxy may. Programs disagree about numbers: with a dot
    behind them, with too many parts, with a zone, to another base. On the web what ends in a number is one
    (WHATWG's URL standard), and no name has any other sign than these.
    """
    plain = host.casefold().rstrip(".")
    above, _, last = plain.rpartition(".")
    is_number = re.fullmatch(r"\d+|0x[0-9a-f]*", last) is not None
    is_near = not above or is_near_name(plain)
    return re.fullmatch(r"[a-z0-9._-]+", plain) is not None and not is_number and not is_near


def is_near_name(host: str) -> bool:
    """Whether a name never leads to the open network, whoever looks it up."""
    return f".{host.casefold().rstrip('.')}".endswith(NEAR)


def own_networks() -> Iterator[IPv4Network | IPv6Network]:
    """The networks around this computer, by the addresses that it has now."""
    import psutil

    for interface in psutil.net_if_addrs().values():
        for each in interface:
            plain = each.address.partition("%")[0]
            if each.family == socket.AF_INET:
                yield IPv4Network(f"{plain}/{each.netmask or 32}", strict=False)
            elif each.family == socket.AF_INET6:
                yield IPv6Network(f"{plain}/{min(_bits(each.netmask), WIDEST_BITS)}", strict=False)


def shown_host(host: str) -> str:
    """A host's name for a question: one in another script with the form in which it is looked up beside it,
    because its letters may be made to look like those of a name that the user trusts.
    """
    if host.isascii():
        return host
    try:
        return f"{host} ({host.encode('idna').decode('ascii')})"
    except UnicodeError:  # no name that could be looked up
        return ascii(host)[1:-1]


def _bits(netmask: str | None) -> int:
    """As a number; Windows and some kinds of interface do not tell one."""
    return int(IPv6Address(netmask)).bit_count() if netmask else IPv6Address("::").max_prefixlen


def _reached(address: IPv4Address | IPv6Address) -> Iterator[IPv4Address | IPv6Address]:
    yield address
    if isinstance(address, IPv6Address):
        yield from (carrier.carried(address) for carrier in CARRIERS if carrier.carries(address))


def _is_public_4(address: IPv4Address) -> bool:
    return address.is_global and not any(address in each for each in SET_ASIDE_4)


def _is_public_6(address: IPv6Address) -> bool:
    carried = [carrier.carried(address) for carrier in CARRIERS if carrier.carries(address)]
    # An address may be read in two ways; every host that it may reach has to be public.
    if not all(map(_is_public_4, carried)):
        return False
    if address in GLOBAL_UNICAST:
        return bool(carried) or (address.is_global and not any(address in each for each in SET_ASIDE_6))
    return bool(carried)
