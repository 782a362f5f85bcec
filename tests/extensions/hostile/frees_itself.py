"""Wants back what was given up."""

import ctypes
import os
import resource

from attempts import succeeded


def on_plain_text(text, context):
    libc = ctypes.CDLL(None, use_errno=True)

    def checked(result):
        if result == -1:
            raise OSError(ctypes.get_errno(), "refused")

    limits = (resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_FSIZE)
    return succeeded(
        text,
        *(lambda each=each: resource.setrlimit(each, (-1, -1)) for each in limits),
        lambda: checked(libc.prctl(1, 0, 0, 0, 0)),
        lambda: checked(libc.unshare(0x10000000)),
        lambda: checked(libc.setns(0, 0)),
        lambda: checked(libc.mount(b"none", b"/tmp", b"tmpfs", 0, None)),
        lambda: os.chroot("/"),
        os.setsid,
    )
