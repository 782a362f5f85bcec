"""Why settings refuses or fails: the codes of the sentences in resources/messages."""

from __future__ import annotations

from desktop.reasons import ReasonCode


class SettingsReason(ReasonCode):
    """See resources/messages/en/settings.toml."""

    SETTINGS_NOT_SAVED = "settings.settings-not-saved"
    SETTINGS_INVALID = "settings.settings-invalid"
    AT_MOST = "settings.at-most"
    AT_LEAST = "settings.at-least"
    MORE_THAN = "settings.more-than"
    ONE_OF = "settings.one-of"
    UNKNOWN_SETTING = "settings.unknown-setting"
    NUMBER = "settings.number"
    WHOLE_NUMBER = "settings.whole-number"
    TRUE_OR_FALSE = "settings.true-or-false"
    TEXT = "settings.text"
    LIST = "settings.list"
    SECTION = "settings.section"
    UNUSABLE = "settings.unusable"
    VALUE_REFUSED = "settings.value-refused"
    SETTING_WRONG = "settings.setting-wrong"
    SETTING_WRONG_IN_LINE = "settings.setting-wrong-in-line"
    VERSION_UNKNOWN = "settings.version-unknown"
    NOT_UTF8 = "settings.not-utf8"
    HELD_BY_ANOTHER = "settings.held-by-another"
    VARIABLE_INVALID = "settings.variable-invalid"
    VARIABLES_UNREADABLE = "settings.variables-unreadable"
