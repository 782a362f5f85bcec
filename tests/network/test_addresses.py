"""Which numeric addresses are of the open network, however they are written and whatever carries them."""

from __future__ import annotations

import socket
from ipaddress import IPv4Address, IPv6Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.network.addresses import CARRIERS, is_public

PRIVATE_4 = (
    *("127.0.0.1", "127.9.9.9", "0.0.0.0", "0.1.2.3", "10.0.0.1", "172.16.5.4", "192.168.1.1"),
    *("169.254.169.254", "100.64.0.1", "192.0.0.8", "192.0.2.1", "192.88.99.1", "198.18.0.1", "203.0.113.9"),
    *("224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255"),
)
PRIVATE_6 = (
    *("::1", "::", "fe80::1%eth0", "fe80::1", "fc00::1", "fd12:3456::1", "fec0::1", "ff02::1"),
    *("100::1", "2001:db8::1", "2001:2::1", "2001:10::1", "3fff::1", "5f00::1", "4000::1", "64:ff9b:1::1"),
)
NO_ADDRESS = ("nonsense", "", "0177.0.0.1", "127.1", "2130706433", "0x7f000001")
PUBLIC = (
    *("93.184.216.34", "8.8.8.8", "1.1.1.1", "2606:4700::6810:84e5", "2a00:1450:4001::2004"),
    *("::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1"),
)

# An inner address by each way of carrying it; of Teredo the client's is inverted, beside a public server.
WAYS = {
    "mapped": lambda inner: (0xFFFF << 32) | inner,
    "translated": lambda inner: (0xFFFF << 48) | inner,
    "compatible": lambda inner: inner,
    "NAT64": lambda inner: (0x64_FF9B << 96) | inner,
    "6to4": lambda inner: (0x2002 << 112) | (inner << 80) | 1,
    "Teredo (server)": lambda inner: (0x2001_0000 << 96) | (inner << 64) | (0x0808_0808 ^ 0xFFFF_FFFF),
    "Teredo (client)": lambda inner: (0x2001_0000 << 96) | (0x0808_0808 << 64) | (inner ^ 0xFFFF_FFFF),
    "ISATAP": lambda inner: (0x2606_4700 << 96) | (0x0000_5EFE << 32) | inner,
    "ISATAP, universal": lambda inner: (0x2606_4700 << 96) | (0x0200_5EFE << 32) | inner,
}
PUBLIC_4 = ("8.8.8.8", "93.184.216.34")
INNER = [*((each, False) for each in PRIVATE_4), *((each, True) for each in PUBLIC_4)]


@pytest.mark.parametrize("address", [*PRIVATE_4, *PRIVATE_6, *NO_ADDRESS])
def test_private_addresses(address: str) -> None:
    """This computer, the network around it, what is set aside, and what is no address are not public."""
    assert not is_public(address)


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses(address: str) -> None:
    """The open network is."""
    assert is_public(address)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("inner", "expected"), INNER)
def test_what_is_carried_is_judged(way: str, inner: str, expected: bool) -> None:
    """Each inner address by each way, in the long spelling and in the mixed one."""
    outer = IPv6Address(WAYS[way](int(IPv4Address(inner))))
    mixed = socket.inet_ntop(socket.AF_INET6, outer.packed)
    assert is_public(str(outer)) is is_public(outer.exploded) is is_public(mixed) is expected


def test_every_way_of_the_table_is_tried() -> None:
    """A carrier that is added needs its row here."""
    assert {carrier.name for carrier in CARRIERS} == {way.partition(",")[0] for way in WAYS}


@given(st.sampled_from(sorted(WAYS)), st.integers(0, 2**32 - 1))
def test_whatever_is_carried_decides(way: str, inner: int) -> None:
    """By every way an address is as public as the one in it."""
    assert is_public(str(IPv6Address(WAYS[way](inner)))) is is_public(str(IPv4Address(inner)))


@given(st.integers(0, 2**128 - 1))
def test_nothing_outside_of_the_open_network_is_public_by_itself(value: int) -> None:
    """Whatever the bits: public is 2000::/3, or what carries a public address of IPv4."""
    address = IPv6Address(value)
    carried = [carrier.carried(address) for carrier in CARRIERS if carrier.carries(address)]
    if is_public(str(address)):
        assert value >> 125 == 1 or carried
        assert all(is_public(str(each)) for each in carried)
