"""Which model answers: one setting, written from the windows."""

from __future__ import annotations

from desktop.errors import UserFacing
from desktop.settings import SettingsFile
from desktop.ui.language import tr


def make_active(settings_file: SettingsFile, model_id: str) -> UserFacing | None:
    """Write the setting; returns what to tell the user when that did not work."""
    try:
        settings_file.change("model", "active", model_id)
    except UserFacing as error:
        return error
    except OSError as error:
        return UserFacing(
            tr("The choice of the model could not be saved: {strerror}.", strerror=error.strerror or error),
            tr("The model itself is installed, and your other settings are as they were."),
            tr(
                "Check that the disk has space and that the settings file can be written, then "
                "choose it again."
            ),
            code="settings-not-saved",
        )
    return None
