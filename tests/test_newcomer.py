"""What a newcomer stumbled over, and what was promised: each point, and the tests that guard it.

FRICTIONS follows a review of an early version, section by section; PROMISES is what the answer to it was to deliver.
`file::test` names a test, `file::test[title]` a case of it in a fixture, `docs/page.md#heading` a section; its examples
are executed by tests/docs. What has no such guard is not in the tables.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DIAGNOSTICS = "language/test_diagnostics.py"
ERROR, WARNING = f"{DIAGNOSTICS}::test_mistake_is_explained", f"{DIAGNOSTICS}::test_warning_does_not_prevent_loading"
SLIPS = "language/test_slips.py::test_each_slip_has_one_message_with_its_repair"

FRICTIONS: dict[str, tuple[str, ...]] = {
    "1 a misspelt variable in a head or a body": (
        f"{ERROR}[a misspelt variable makes a head about every grounding]",
        f"{WARNING}[a variable that stands once, near another]",
    ),
    "1 a name in lower case where a variable is meant": (f"{WARNING}[a name where a variable is meant]",),
    "1 a fluent that nothing ends": (f"{WARNING}[a fluent that nothing ends]",),
    "1 a misspelt event": (f"{WARNING}[a misspelt input event]",),
    "2 quotes inside ids, in process": ("local/test_tables.py::test_names_come_back_as_they_were",),
    "2 quotes inside ids, on Spark": ("spark/test_tables.py::test_tables_are_those_of_one_process",),
    "2 quotes inside ids, in a stream, CSV and the page": (
        "local/test_plain_text.py::test_a_stream",
        "local/test_plain_text.py::test_csv_and_the_page",
    ),
    "2 arguments as one list of strings": ("local/test_tables.py::test_a_table_of_one_event_has_typed_columns",),
    "2 an end that is a float": ("local/test_tables.py::test_ends_are_integers_in_pandas_and_polars",),
    "3 17, '17' and 17.0 never match": (
        "local/test_doubts.py::test_arguments_that_are_never_equal",
        "io/test_types.py::test_types_of_a_mapping",
        "io/test_types.py::test_integers_among_nulls_stay_integers_in_pandas",
    ),
    "4 RTEC's own applications": (
        "conformance/test_applications.py",
        "examples/test_caviar.py::test_what_people_do",
        "cli/test_rtec_defaults.py::test_the_table_stands_for_all_arguments",
    ),
    "5 a changed fact or rule is refused without saying which, after Spark has started": (
        "job/test_changed.py::test_changed_rules_are_named",
        "local/test_stream.py::test_what_can_be_refused_is_refused_before_spark_starts",
    ),
    "5 no page on changing rules": (
        "docs/streaming.md#changing-rules",
        "local/test_stream.py::test_rules_are_changed_by_a_second_stream_over_the_recent_past",
    ),
    "6 two tables of different shape": ("local/test_several_tables.py::test_tables_by_name",),
    "6 errors name neither file nor event": ("io/test_columns.py::test_mistakes_in_a_mapping",),
    "6 a list of sources that were read already": ("io/test_sources.py::test_what_cannot_be_read",),
    "6 rows that no rule reads are rejected": ("io/test_rejects.py::test_rows_that_no_rule_reads_are_no_rejects",),
    "7 results are integers only": ("local/test_tables.py::test_times_come_back_as_time_stamps",),
    "7 no durations in rules": ("language/test_durations.py::test_where_ticks_may_stand",),
    "7 '10min' and other advice that goes in a circle": (SLIPS,),
    "7 durations and dates in Python": (
        "local/test_session.py::test_durations",
        "local/test_tables.py::test_the_history_from_and_to_a_date",
    ),
    "7 dates for --start, and no zone in the mapping": (
        "cli/test_commands.py::test_start_and_end_may_be_dates",
        "local/test_tables.py::test_times_without_a_zone_are_of_the_zone_of_the_mapping",
    ),
    "7 milliseconds taken for seconds": ("local/test_doubts.py::test_milliseconds_for_seconds",),
    "7 a window shorter than the step": ("local/test_doubts.py::test_a_window_shorter_than_the_step",),
    "8 a null rejects the whole row": ("local/test_nulls.py::test_rules_that_do_not_read_a_null_match",),
    "8 rejection is quiet": (
        "local/test_doubts.py::test_some_rows_rejected",
        "local/test_doubts.py::test_all_rows_rejected",
        "local/test_stream.py::test_why_rows_are_rejected_is_told_once",
    ),
    "9 a dead receiver ends in a traceback": ("attack/test_endings.py::test_a_stream_that_fails",),
    "9 one dead sink stops all": (
        "local/test_stream.py::test_a_receiver_that_stops_the_stream_keeps_no_other_from_its_changes",
        "local/test_stream.py::test_a_receiver_that_is_away_stops_nothing_if_changes_are_kept",
    ),
    "9 --from nowhere and --from - idle for ever; s3:// is refused late": (
        "local/test_stream.py::test_what_can_be_refused_is_refused_before_spark_starts",
    ),
    "9 idle workers print BrokenPipeError": (
        "startup/test_daemon.py::test_a_worker_that_spark_hangs_up_on_ends_silently",
    ),
    "9 a signal to the group ends in a traceback": (
        "attack/test_endings.py::test_a_signal_to_all_processes_of_a_service",
    ),
    "9 kafka:// is refused late": ("cli/test_stream.py::test_kafka_is_refused_before_spark_starts",),
    "9 nothing on deployment; pins": (
        "docs/deployment.md#systemd",
        "cli/test_install.py::test_the_wheel_runs_in_a_bare_environment",
    ),
    "9 the last alarm of a quiet source": (
        "local/test_stream.py::test_a_source_that_falls_silent_is_noticed_by_the_clock_on_the_wall",
    ),
    "9 an ordinary end is called shorten": (
        "local/test_session.py::test_changes_and_what_is_current",
        "io/sinks/test_messages.py::test_lines_for_people",
        "docs/streaming.md#webhooks",
    ),
    "9 rows before the start, and what dropped means": (
        "view/test_live.py::test_dropped_rows_are_told_where_there_are_any",
        "io/metrics/test_metrics.py::test_counters_grow_and_gauges_are_those_of_the_last_batch",
    ),
    "9 no page for a stream": ("local/test_stream.py::test_a_stream_is_shown_and_drawn",),
    "9 nothing on renaming files into the folder": (
        "docs/streaming.md#start-one",
        "attack/test_tampering.py::test_a_file_that_grew_is_told_of",
    ),
    "10 check has no --facts": ("cli/test_check.py::test_facts_come_from_tables_too",),
    "10 mistakes come in several rounds": ("language/test_all_at_once.py::test_every_mistake_is_told_beside_others",),
    "10 parse without facts, recognise without mapping or path": (
        "local/test_rules.py::test_parse_takes_tables_of_facts",
        "local/test_rules.py::test_recognise_takes_the_path_of_a_rule_file",
        "local/test_tables.py::test_a_table_of_one_fluent",
    ),
    "10 no py.typed": ("test_package.py::test_types_travel_with_the_package",),
    "10 messages that mislead": (SLIPS,),
    "10 no recipe for testing rules": ("docs/recipes.md#testing-rules",),
    "11 a run never says what was found": (
        "cli/test_commands.py::test_run_ends_with_what_was_found",
        "cli/test_commands.py::test_show_everything",
    ),
    "11 Spark for small inputs": ("cli/test_commands.py::test_run_takes_one_process_for_little_and_says_so",),
    "11 no way to install but make": ("cli/test_install.py::test_the_wheel_runs_in_a_bare_environment",),
    "11 reprs of pages; nothing in notebooks": (
        "local/test_tables.py::test_short_in_a_shell_and_readable_in_a_notebook",
        "local/test_session.py::test_what_is_said_of_it_is_short",
        "view/test_notebook.py::test_a_result_is_a_small_timeline_and_a_table",
    ),
    "11 no progress bar": ("cli/test_console.py::test_a_bar_says_how_much_is_done",),
    "11 no JSON lines or Feather": (
        "io/test_json_lines.py::test_json_lines",
        "io/test_json_lines.py::test_feather",
    ),
    "12 no tutorial, recipes, reference, second example": (
        "docs/tutorial.md#live",
        "docs/recipes.md#sliding-counts",
        "docs/test_api.py::test_every_public_name_is_in_the_reference_with_words_of_its_own",
        "examples/test_factory.py::test_machines_of_a_line",
    ),
    "13 see it alone shows others, too": (
        "view/test_scripts.py::test_the_name_of_an_entity_shows_it_alone",
        "view/test_browser.py::test_a_press_on_a_name_shows_that_entity_alone",
    ),
    "13 UTC only": ("view/test_scripts.py::test_times_in_utc_or_in_ones_own_zone",),
    "13 values of events and labels of pairs cannot be read": (
        "view/test_scripts.py::test_what_is_not_in_a_bar_stands_beside_it",
    ),
    "13 a phone": (
        "view/test_scripts.py::test_names_are_whole_on_a_phone",
        "view/test_scripts.py::test_names_leave_room_on_a_phone",
    ),
    "13 no jump to a date, no link": (
        "view/test_scripts.py::test_going_to_a_time",
        "view/test_scripts.py::test_a_link_brings_back_the_view",
    ),
    "13 no grouping": ("view/test_scripts.py::test_lanes_by_entity_by_fluent_and_by_group",),
    "13 no export": (
        "view/test_scripts.py::test_csv_of_what_is_seen",
        "view/test_browser.py::test_what_is_seen_is_saved_as_files",
    ),
    "13 no inputs, no why": (
        "cli/test_timeline.py::test_input_stands_below_the_results",
        "cli/test_timeline.py::test_each_result_has_its_rules_and_the_input_they_look_at",
        "view/test_scripts.py::test_the_last_input_that_the_rules_saw",
    ),
    "13 the default order hides names": ("view/test_browser.py::test_jumping_to_a_time_and_a_link_to_the_view",),
}

PROMISES: dict[str, tuple[str, ...]] = {
    "1 a variable that stands once": (
        f"{WARNING}[a variable that stands once, and none that means any value]",
        f"{WARNING}[a head about every grounding, in a file with groundings]",
    ),
    "1 arguments that never meet are counted and warned of, with the two places": (
        "local/test_doubts.py::test_arguments_that_are_never_equal",
        "local/test_doubts.py::test_numbers_in_rules_that_nothing_is_equal_to",
    ),
    "1 nulls, everywhere alike": (
        "local/test_nulls.py::test_windows_and_live_sessions_give_the_same",
        "spark/test_nulls.py::test_data_frames_and_files",
    ),
    "1 an empty result, late rows, a constant time": (
        "local/test_doubts.py::test_all_rows_late",
        "local/test_doubts.py::test_a_time_that_never_changes",
        "local/test_doubts.py::test_no_rows",
    ),
    "2 a table a fluent, in process, on Spark, of a session and of a stream": (
        "local/test_tables.py::test_a_table_of_one_fluent",
        "spark/test_tables.py::test_tables_are_those_of_one_process",
        "local/test_tables.py::test_a_live_session_has_the_same_tables",
        "local/test_stream.py::test_tables_of_a_stream",
    ),
    "2 --tables wide": ("cli/test_commands.py::test_wide_tables",),
    "2 columns named by the mapping": (
        "local/test_tables.py::test_arguments_without_a_variable_are_called_as_the_columns_they_come_from",
        "local/test_tables.py::test_so_are_those_of_a_live_session_also_when_it_is_resumed",
    ),
    "3 durations checked against the unit of the data": (
        "language/test_durations.py::test_rules_and_run_agree_on_the_tick",
        "local/test_doubts.py::test_dates_and_durations_in_different_ticks",
    ),
    "3 output in a given zone": ("spark/test_tables.py::test_local_times_of_a_zone",),
    "4 many tables and wide rows, in batch and stream": (
        "docs/data.md#several-events-in-a-row",
        "local/test_several_tables.py::test_a_stream_of_files_of_several_tables",
        "spark/test_several_tables.py::test_streams_by_name",
    ),
    "5 show, with entity and time": ("cli/test_commands.py::test_show_what_was_found",),
    "5 the engine by the size of the input": ("cli/test_commands.py::test_the_engine_goes_by_the_size_of_events",),
    "6 what is kept for a sink is delivered in order": ("io/sinks/test_outbox.py",),
    "6 Kafka by frames of its schema, with the line that installs it": (
        "spark/test_kafka.py::test_a_stream_of_kafkas_schema",
        "spark/test_kafka.py::test_without_the_connector_the_message_says_how_to_install_it",
    ),
    "7 all mistakes in one round": (
        "language/test_all_at_once.py::test_what_the_plan_refuses_is_told_with_the_mistakes",
    ),
    "8 lowest and highest versions, types": (
        "cli/test_install.py::test_the_wheel_imports_and_has_types",
        "cli/test_install.py::test_ranges_are_written_as_the_test_below_reads_them",
    ),
    "8 Spark Connect": ("spark/test_connect.py::test_batch_through_connect",),
    "9 recipes with results": (
        "docs/recipes.md#averages",
        "docs/recipes.md#absence",
        "docs/recipes.md#at-least-three-of",
        "docs/recipes.md#sessions",
        "docs/recipes.md#debouncing",
        "docs/recipes.md#two-machines-of-one-line",
    ),
    "from raw Parquet to a joined table in 15 lines": (
        "docs/test_examples.py::test_from_raw_tables_to_a_joined_one_takes_few_lines",
    ),
}


@cache
def names_in(path: Path) -> frozenset[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


@cache
def titles() -> frozenset[str]:
    """Of the cases of mistakes and warnings."""
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / "tests/language/fixtures").glob("*.txt")]
    return frozenset(title for text in texts for title in re.findall(r"^=== (.+)$", text, re.MULTILINE))


def headings(path: Path) -> set[str]:
    lines = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", line).lower().replace(" ", "-") for line in lines}


def is_there(guard: str) -> bool:
    if match := re.fullmatch(r"(docs/.+\.md)#(.+)", guard):
        return match[2] in headings(ROOT / match[1])
    name, _, test = guard.partition("::")
    test, _, title = test.rstrip("]").partition("[")
    path = ROOT / "tests" / name
    return path.exists() and (not test or test in names_in(path)) and (not title or title in titles())


@pytest.mark.parametrize("table", [FRICTIONS, PROMISES], ids=["frictions", "promises"])
def test_each_point_has_its_guards(table: dict[str, tuple[str, ...]]) -> None:
    assert [guard for guards in table.values() for guard in guards if not is_there(guard)] == []
    assert all(table.values())
