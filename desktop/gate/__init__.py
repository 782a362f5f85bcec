"""May this happen? What a command would do, and whether to ask first.

Everything imported from here down to `shell` is the standard library and tree-sitter: `steward classify` must
answer within a tenth of a second.
"""
