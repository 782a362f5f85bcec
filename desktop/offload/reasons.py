"""Why a command runs here, what a worker lacks, and what went wrong."""

from __future__ import annotations

from desktop.reasons import ReasonCode


class OffloadReason(ReasonCode):
    """See resources/messages/en/offload.toml."""

    # Why a command is not one for a worker.
    OFF = "offload.off"
    NO_WORKERS = "offload.no-workers"
    WORKER_UNKNOWN = "offload.worker-unknown"
    NOT_PLAIN = "offload.not-plain"
    PROGRAM_UNKNOWN = "offload.program-unknown"
    VERB_UNKNOWN = "offload.verb-unknown"
    OPTION_REFUSED = "offload.option-refused"
    PATH_OUTSIDE = "offload.path-outside"
    VARIABLE_REFUSED = "offload.variable-refused"
    FOLDER_UNFIT = "offload.folder-unfit"
    TOO_QUICK = "offload.too-quick"
    # Why it runs here after all; the command has not begun anywhere.
    NO_TOOL_HERE = "offload.no-tool-here"
    SETTINGS_UNSENT = "offload.settings-unsent"
    CONFINED_HERE = "offload.confined-here"
    OTHER_TOOLCHAIN = "offload.other-toolchain"
    TOO_LARGE = "offload.too-large"
    TEST_WITHOUT_SECRET = "offload.test-without-secret"  # noqa: S105  # a code, no secret
    UNREACHABLE = "offload.unreachable"
    MISSING_THERE = "offload.missing-there"
    CLOCK = "offload.clock"
    BUSY = "offload.busy"
    FULL = "offload.full"
    NOT_SENT = "offload.not-sent"
    NOT_BEGUN = "offload.not-begun"
    LISTING_FAILED = "offload.listing-failed"
    PREPARE_FAILED = "offload.prepare-failed"
    # After it has begun.
    LOST_RUNS_HERE = "offload.lost-runs-here"
    LOST_TEST = "offload.lost-test"
    NOT_FETCHED = "offload.not-fetched"
    WITHHELD_RUNS_HERE = "offload.withheld-runs-here"
    KEPT_YOURS = "offload.kept-yours"
    # Lines of the client.
    RUNS_HERE = "offload.runs-here"
    SENDING = "offload.sending"
    FOR_SENDING = "offload.for-sending"
    # Setting up.
    NO_SUCH_WORKER = "offload.no-such-worker"
    NAME_TAKEN = "offload.name-taken"
    HOST_UNFIT = "offload.host-unfit"
    NOT_LINUX = "offload.not-linux"
    PROGRAM_MISSING_HERE = "offload.program-missing-here"
    PROGRAM_MISSING_THERE = "offload.program-missing-there"
    SSH_FAILED = "offload.ssh-failed"
    NO_BOX_THERE = "offload.no-box-there"
    NO_PARTITION = "offload.no-partition"
    ADD_UNANSWERED = "offload.add-unanswered"
    TABLE_UNREADABLE = "offload.table-unreadable"
    WORKERS_NOT_SAVED = "offload.workers-not-saved"
