"""Steward: a private assistant in the system tray."""

__version__ = "0.1.0"
