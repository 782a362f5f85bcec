"""What can be said about a check that is to pass: codes, whose sentences lie in resources/messages."""

from __future__ import annotations

from desktop.reasons import ReasonCode


class BuilderReason(ReasonCode):
    """See resources/messages/en/builder.toml."""

    NO_CHECK = "builder.no-check"
    SEVERAL_FILES = "builder.several-files"
    NO_SUCH_FOLDER = "builder.no-such-folder"
    NO_SUCH_FILE = "builder.no-such-file"
    OUTSIDE = "builder.outside"
    IS_A_TEST = "builder.is-a-test"
    NO_LANGUAGE = "builder.no-language"
    NO_TEXT = "builder.no-text"
    TOO_LARGE = "builder.too-large"
    CANNOT_CONFINE = "builder.cannot-confine"
    CHECK_REWRITES = "builder.check-rewrites"
    CHECK_NOT_FOUND = "builder.check-not-found"
    TOO_LONG = "builder.too-long"
    CHANGED_MEANWHILE = "builder.changed-meanwhile"
    NO_EXAMPLES = "builder.no-examples"
    NOBODY_TO_ASK = "builder.nobody-to-ask"
    NO_PROPOSAL = "builder.no-proposal"
    VERB = "builder.verb"
    ASK_CHECK = "builder.ask-check"
    CHECK_RUNS = "builder.check-runs"
    CHECK_AND_BUILD_RUN = "builder.check-and-build-run"
    SOLVED = "builder.solved"
    PASSES_ALREADY = "builder.passes-already"
    FLAKY = "builder.flaky"
    NOTHING_FOUND = "builder.nothing-found"
    TRIED = "builder.tried"
    TRIED_NEARER = "builder.tried-nearer"
    REPEATED = "builder.repeated"
    OUT_OF_TIME = "builder.out-of-time"
    STOPPED = "builder.stopped"
    LOOK_AT_FLAKY = "builder.look-at-flaky"
    LOOK_AT_FUNCTION = "builder.look-at-function"
    LOOK_FOR_PLACE = "builder.look-for-place"
    NAME_FILE = "builder.name-file"
