"""Wants to be Steward's debugger."""

import ctypes
import os

from attempts import succeeded

ATTACH, SEIZE = 16, 0x4206


def on_plain_text(text, context):
    libc = ctypes.CDLL(None, use_errno=True)
    parent = os.getppid()
    here = ctypes.create_string_buffer(16)
    pair = (ctypes.c_size_t * 2)(ctypes.addressof(here), 16)

    def checked(result):
        if result == -1:
            raise OSError(ctypes.get_errno(), "refused")

    return succeeded(
        text,
        lambda: checked(libc.ptrace(ATTACH, parent, 0, 0)),
        lambda: checked(libc.ptrace(SEIZE, parent, 0, 0)),
        lambda: checked(libc.process_vm_readv(parent, pair, 1, pair, 1, 0)),
        lambda: checked(libc.process_vm_writev(parent, pair, 1, pair, 1, 0)),
        lambda: checked(libc.syscall(434, parent, 0)),
        lambda: checked(libc.syscall(425, 8, here)),
    )
