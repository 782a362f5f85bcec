"""The twenty acceptance checks of the desktop, one test each.

A check whose tests stand beside what they test names them here: `holds` makes sure that each of them is
there, and runs them where STEWARD_ACCEPTANCE=1 is set. What a check asks for and no test here can show is
said in its docstring after "Open:". Benchmarks hold what is a figure (docs/measurements.md).
"""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from bootstrap.testing import LONGEST_SLOW_TEST_S
from desktop.engine.engine import Engine, start_thread
from desktop.engine.requests import GenerateRequest, Message
from desktop.errors import UserFacing
from desktop.events import Bus
from desktop.models.library import InstalledModel
from desktop.paths import Paths
from desktop.settings import ModelSettings
from tests.acceptance.conftest import Holds
from tests.engine.conftest import PlentyOfMemory
from tests.fakes.scripted_model import ScriptedBackend, installed

# A check that runs its tests is as slow as all of them together.
pytestmark = pytest.mark.timeout(LONGEST_SLOW_TEST_S)


def test_check_01_a_fresh_install_is_quiet(holds: Holds) -> None:
    """No login item, no window, no connection before the user agrees; the listener comes with an agent."""
    holds(
        "tests/flows/test_offline.py::test_a_fresh_start_sends_nothing_until_the_user_agrees_to_a_download",
        "tests/flows/test_offline.py"
        "::test_a_fresh_install_starts_hidden_without_window_login_item_or_listener",
        "tests/ui/models/test_first_run.py::test_nothing_leaves_before_download_is_pressed",
        "tests/packaging_tests/test_deb.py::test_nothing_of_the_package_starts_by_itself",
    )


def test_check_02_a_killed_network_resumes_and_a_wrong_byte_is_put_aside(holds: Holds) -> None:
    """Never from 0 again, also in a new process; a wrong byte is told, kept apart, and fetched again."""
    holds(
        "tests/models/test_download.py::test_line_cut_twice_fetches_no_byte_twice",
        "tests/models/test_download.py::test_resumes_in_a_new_process",
        "tests/models/test_download.py::test_wrong_byte_is_quarantined",
        "tests/models/test_download.py::test_next_source_after_a_wrong_one",
        "tests/flows/test_first_start.py::test_from_the_first_start_to_a_kept_conversation",
    )


def test_check_03_a_file_from_disk_is_used_where_it_lies(holds: Holds) -> None:
    """No byte more, and the user's file outlives its line in the list."""
    holds(
        "tests/models/test_library.py::test_import_by_reference",
        "tests/models/test_library.py::test_remove_deletes_only_our_files",
    )


def test_check_04_the_hotkey_is_answered_at_once_and_typing_is_kept(holds: Holds) -> None:
    """Visible, focused, typed into with no model loaded; what is sent while it loads waits its turn.

    The 100 ms are a figure of `dev.py bench quick_ask`.
    """
    holds(
        "tests/flows/test_quick_ask.py::test_typed_at_once_and_back",
        "tests/flows/test_quick_ask.py::test_without_a_model",
        "tests/ui/quick_ask/test_quick_ask.py::test_what_is_sent_meanwhile_waits_its_turn",
    )


def test_check_05_quick_ask_on_any_screen_gives_the_focus_back(holds: Holds) -> None:
    """On the screen of the pointer, focus back by Esc, fifty presses leave one window.

    Two monitors of different scales were looked at on a virtual screen. Open: two real ones.
    """
    holds(
        "tests/ui/quick_ask/test_two_screens.py::test_on_the_screen_of_the_pointer",
        "tests/flows/test_quick_ask.py::test_fifty_fast_presses_leave_one_window",
        "tests/flows/test_quick_ask.py::test_over_a_full_screen_window",
        "tests/flows/test_quick_ask.py::test_typed_at_once_and_back",
        "tests/ui/quick_ask/test_quick_ask.py::test_fifty_presses_leave_it_in_a_state_that_works",
    )


def test_check_06_what_is_missing_is_said_once_with_the_next_step(holds: Holds) -> None:
    """Hotkey refused, no portal, no tray: the program works all the same."""
    holds(
        "tests/flows/test_quick_ask.py::test_keys_in_use_are_said_with_the_next_step",
        "tests/system/hotkey/test_global_hotkey.py::test_keys_in_use_are_said_once",
        "tests/system/hotkey/test_global_hotkey.py::test_a_screen_without_a_way",
        "tests/system/hotkey/test_portal.py::test_no_portal_at_all",
        "tests/system/hotkey/test_portal.py::test_the_user_says_no",
        "tests/flows/test_first_start.py::test_without_a_tray_the_window_stays_reachable",
    )


def test_check_07_a_closed_popup_goes_on_answering(holds: Holds) -> None:
    """It says so once, and the whole answer is in the main window."""
    holds(
        "tests/ui/quick_ask/test_quick_ask.py::test_hidden_while_it_answers_it_says_so_once",
        "tests/ui/quick_ask/test_quick_ask.py::test_into_the_main_window_while_it_answers",
    )


def test_check_08_a_stray_key_or_click_never_allows(holds: Holds) -> None:
    """Within 500 ms nothing answers; after that Esc and closing deny."""
    holds(
        *(
            f"tests/ui/permission/test_permission_dialog.py::test_rule_{name}"
            for name in (
                "4_within_500_ms_of_showing_nothing_answers",
                "4_a_click_that_only_focused_the_window_answers_nothing",
                "4_a_double_click_across_the_arming_answers_nothing",
                "4_a_key_held_down_since_before_answers_nothing",
                "2_deny_has_the_focus_and_a_key_at_worst_denies",
                "3_closing_the_window_denies",
            )
        )
    )


def test_check_09_no_grant_matches_an_unmatched_command(holds: Holds) -> None:
    """Properties over generated command lines; deny beats allow in every order."""
    holds(
        "tests/gate/test_grants.py::test_no_grant_matches_a_line_with_an_unmatched_command",
        "tests/gate/test_policy.py::test_deny_beats_allow_in_every_order",
        "tests/gate/shell/test_properties.py::test_composing",
    )


def test_check_10_what_is_deleted_is_listed_and_comes_back(holds: Holds) -> None:
    """The dialog lists the files; Undo brings bytes, mode and times back, also after a restart."""
    holds(
        "tests/ui/permission/test_permission_dialog.py::test_rule_1_a_pattern_shows_its_files_with_sizes",
        "tests/gate/test_journal.py::test_a_written_file_comes_back_with_bytes_mode_and_times",
        "tests/gate/test_journal.py::test_an_undo_after_a_restart",
        "tests/gate/test_journal.py::test_undoing_everything_backwards_restores_every_byte",
        "tests/gate/test_snapshots.py::test_a_command_is_taken_back",
    )


def test_check_11_an_idle_program_gives_its_memory_back(holds: Holds) -> None:
    """After ten idle minutes, sooner on battery and where memory is low.

    Under 1 % of a core is a figure of `dev.py bench start`. Open: no GPU was at hand.
    """
    holds(
        "tests/engine/test_engine.py::test_an_idle_model_is_unloaded",
        "tests/engine/test_engine.py::test_low_memory_unloads_the_model",
        "tests/engine/test_engine.py::test_a_model_goes_when_nobody_needs_it_or_others_need_the_memory",
    )


def test_check_12_each_failure_to_load_has_its_own_words(
    paths: Paths, bus: Bus, tmp_path: Path, holds: Holds
) -> None:
    """Memory, missing file, damaged file, context too large, ended while loading: five causes, five actions.

    A card that refuses leaves the processor; an old processor is told before anything is loaded.
    """
    memory = PlentyOfMemory()
    model = installed(tmp_path / "models")
    found = {
        "gone": _told(paths, bus, memory, _gone(tmp_path), ScriptedBackend()),
        "damaged": _told(paths, bus, memory, model, ScriptedBackend(load_error="tensor missing")),
        "context": _told(paths, bus, memory, model, ScriptedBackend(context_error=lambda _device: True)),
        "no model": _told(paths, bus, memory, None, ScriptedBackend()),
    }
    memory.available = memory.total = 100
    found["memory"] = _told(paths, bus, memory, model, ScriptedBackend())
    assert {name: error.code for name, error in found.items()} == {
        "gone": "model-file-missing",
        "damaged": "model-load-failed",
        "context": "context-too-large",
        "no model": "no-model",
        "memory": "model-too-large",
    }
    for part in ("cause", "action"):
        assert len({getattr(error, part) for error in found.values()}) == len(found), part
    holds(
        "tests/engine/test_engine.py::test_a_graphics_card_without_room_leaves_the_processor",
        "tests/engine/test_engine.py::test_a_model_that_ended_the_program_is_not_loaded_unasked",
        "tests/models/test_download.py::test_wrong_byte_is_quarantined",
        "tests/packaging_tests/test_started.py::test_an_older_processor_is_told_in_words",
        "tests/packaging_tests/test_started.py::test_a_broken_model_file_is_refused_in_words",
    )


def test_check_13_a_reader_who_scrolled_up_is_not_moved(holds: Holds) -> None:
    """Not by a pixel, while the answer streams on."""
    holds(
        "tests/ui/chat/test_transcript.py::test_a_reader_who_scrolled_up_is_not_moved",
        "tests/ui/chat/test_transcript.py::test_inside_a_streaming_answer_nothing_moves",
    )


def test_check_14_a_thousand_fuzzed_outputs(holds: Holds) -> None:
    """No call in a bubble, nothing malformed is run."""
    holds("tests/chat/test_fuzz.py::test_nothing_malformed_is_run_and_no_call_is_shown")


def test_check_15_a_kill_loses_nothing_and_a_backup_is_one_file(holds: Holds) -> None:
    """While streaming, while migrating; the backup is restored in another profile."""
    holds(
        "tests/flows/test_first_start.py::test_kill_9_while_streaming_keeps_what_was_shown",
        "tests/test_database.py::test_kill_9_during_a_migration_loses_nothing",
        "tests/flows/test_soak.py::test_killed_ten_times_and_nothing_that_was_announced_is_lost",
        "tests/backup/test_backup.py::test_a_backup_restores_on_another_profile",
    )


def test_check_16_uninstalling_leaves_nothing_but_what_was_kept(holds: Holds) -> None:
    """Models are asked about with sizes and kept; login item, desktop file and secrets go."""
    holds(
        "tests/cli/test_maintenance.py::test_data_and_models_are_asked_about_with_their_sizes",
        "tests/cli/test_maintenance.py::test_models_stay_unless_they_are_asked_for",
        "tests/cli/test_maintenance.py::test_with_models_nothing_but_the_users_own_files_is_left",
        "tests/packaging_tests/test_clean_root.py::test_installed_used_and_purged",
    )


def test_check_17_by_keyboard_alone(holds: Holds) -> None:
    """First run, ask, allow, quit; every control that takes the keyboard has a name."""
    holds(
        "tests/flows/test_first_start.py::test_from_the_first_start_to_a_kept_conversation",
        "tests/ui/models/test_first_run.py::test_download_to_ready_with_the_keyboard_alone",
        "tests/ui/permission/test_permission_dialog.py::test_rule_2_allow_is_reached_by_tab",
        "tests/ui/test_accessibility.py::test_everything_that_takes_the_keyboard_has_a_name_and_a_role",
    )


def test_check_18_right_to_left(holds: Holds) -> None:
    """Paragraphs at the right, code at the left, a mirrored sidebar."""
    holds(
        *(
            f"tests/ui/chat/test_right_to_left.py::test_check_18_{name}"
            for name in (
                "paragraphs_align_by_their_own_direction",
                "code_stays_left",
                "the_sidebar_is_at_the_right_under_such_a_language",
                "bubbles_are_mirrored",
            )
        )
    )


def test_check_19_a_nearly_full_context_is_said_before_anything_is_left_out(holds: Holds) -> None:
    """The meter turns at 80 %, and what the model no longer sees is a line in the chat."""
    holds(
        "tests/ui/chat/test_status_line.py::test_a_nearly_full_context_is_said",
        "tests/chat/test_turns.py::test_when_the_context_is_full_the_oldest_are_left_out_and_it_is_said",
        "tests/chat/test_summaries.py::test_a_summary_can_be_undone",
    )


def test_check_20_the_package_works_on_a_plain_computer(holds: Holds) -> None:
    """Without AVX2 or a GPU, as a standard user, from a folder with spaces and umlauts.

    Open: on Windows and macOS only where the builds of those systems run.
    """
    holds(
        "tests/packaging_tests/test_started.py"
        "::test_every_part_works_from_a_folder_with_umlauts_that_is_read_only",
        "tests/packaging_tests/test_started.py::test_a_processor_of_2008_answers_a_question",
        "tests/packaging_tests/test_started.py::test_a_user_without_a_home_gets_the_command_line",
        "tests/packaging_tests/test_clean_root.py::test_installed_used_and_purged",
    )


def _gone(folder: Path) -> InstalledModel:
    model = installed(folder / "elsewhere")
    model.path.unlink()
    return model


def _told(
    paths: Paths,
    bus: Bus,
    memory: PlentyOfMemory,
    model: InstalledModel | None,
    backend: ScriptedBackend,
) -> UserFacing:
    """What somebody who asks is told when this model cannot be loaded."""
    engine = Engine(paths, bus, lambda: ModelSettings(threads=1), backend, memory=memory)
    engine.use(model)
    thread: threading.Thread = start_thread(engine)
    try:
        with pytest.raises(UserFacing) as told:
            engine.submit(GenerateRequest("c", (Message("user", "Hello"),))).text(30)
    finally:
        engine.close()
        thread.join()
    return told.value
