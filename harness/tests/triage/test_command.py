"""The command: forms, files, and exit codes; and that neither a value nor a key's name is in any of them."""

import json
import re
from pathlib import Path

import pytest

from respmark.errors import ExitCode
from respmark.servers.control import Control
from respmark.triage.snapshot import KeySample, SampledKey, ServerSnapshot
from tests.triage.builders import make_group, make_node, make_snapshot
from tests.triage.conftest import SECONDS, Start, Triage, url_of

BAD = make_node({"aof_delayed_fsync": "4"}, {"aof_delayed_fsync": "9"})
CHURN = make_node(
    last={"total_connections_received": "10010", "cmdstat_get": "calls=10000,usec=10000"},
    clients=(make_group(opened=9_000),),
)
FORMATS = ("terminal", "markdown", "html", "json")


def saved(path: Path, snapshot: ServerSnapshot) -> Path:
    path.write_text(snapshot.model_dump_json())
    return path


@pytest.mark.parametrize("written", FORMATS)
def test_a_file_is_reported_in_every_form(triage: Triage, tmp_path: Path, written: str) -> None:
    """Taken elsewhere, by whoever was there; with the lines to write in that client's language."""
    path = saved(tmp_path / "there.json", make_snapshot(CHURN))
    finished = triage("--from", path, "--format", written)
    assert finished.code == ExitCode.OK, finished.errors
    text = " ".join(finished.output.split())
    assert "connection-churn" in text
    assert "10.0.0.7:4711" in text
    assert "ConnectionPool" in text


def test_the_json_report_has_stable_fields(triage: Triage, tmp_path: Path) -> None:
    """They are a public interface: docs/triage.md."""
    report = json.loads(triage("--from", saved(tmp_path / "x.json", make_snapshot(CHURN)), "--format", "json").output)
    assert list(report) == [
        "format",
        "respmark_version",
        "taken_at",
        "nodes",
        "findings",
        "changes",
        "basis",
        "keys",
        "unseen",
    ]
    (finding,) = report["findings"]
    assert list(finding) == [
        *("id", "severity", "title", "node", "seen", "clients", "costs", "advice", "gain", "code"),
    ]
    assert finding["seen"][0]["signals"] == {
        "connections_per_s": 1000.0,
        "connections_closed_per_s": 1000.0,
        "commands_per_connection": 1.0,
    }
    page = (Path(__file__).parents[3] / "docs" / "triage.md").read_text()
    assert [name for name in (*report, *finding) if f"`{name}`" not in page] == []


@pytest.mark.parametrize(("level", "code"), [("high", 1), ("medium", 1), (None, 0)])
def test_the_exit_code_says_whether_it_is_as_bad_as_that(
    triage: Triage, tmp_path: Path, level: str | None, code: int
) -> None:
    """For a check that runs every night."""
    path = saved(tmp_path / "bad.json", make_snapshot(BAD))
    assert triage("--from", path, *(("--fail-on", level) if level else ())).code == code


def test_a_note_fails_nothing(triage: Triage, tmp_path: Path) -> None:
    """Nothing is wrong."""
    assert triage("--from", saved(tmp_path / "x.json", make_snapshot()), "--fail-on", "low").code == ExitCode.OK


def test_what_changed_since_a_file_is_said(triage: Triage, tmp_path: Path) -> None:
    """New, gone, and still there with its figure."""
    before = saved(tmp_path / "before.json", make_snapshot(BAD))
    worse = make_node({"aof_delayed_fsync": "4"}, {"aof_delayed_fsync": "54", "latest_fork_usec": "250000"})
    now = saved(tmp_path / "now.json", make_snapshot(worse))
    text = triage("--from", now, "--baseline", before).output
    assert "since 2026-11-27 09:00:00 UTC" in text
    assert "new          slow-fork" in text
    assert "slow-fsync (info.aof_delayed_fsync_per_s 0.500, now 5)" in " ".join(text.split())
    assert "gone         slow-fork" in triage("--from", before, "--baseline", now).output


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "name the server (redis://host:port) or a file"),
        (("redis://h", "--from", "x"), "not both"),
        (("10.0.0.5",), "named by its URL"),
        (("redis://h", "--seconds", "0"), "--seconds must be between 0.5 and 3,600"),
        (("redis://h", "--seconds", "nan"), "--seconds must be between 0.5 and 3,600"),
        (("redis://h", "--keys", "-1"), "--keys must be between 0 and 100,000"),
        (("redis://h", "--out", "x"), "--out does not apply to --format terminal"),
        (("--from", "/nowhere.json"), "/nowhere.json"),
    ],
)
def test_a_request_that_is_not_valid(triage: Triage, words: tuple[str, ...], said: str) -> None:
    """Exit code 2, and what to do."""
    finished = triage(*words)
    assert finished.code == ExitCode.INVALID_REQUEST
    assert said in finished.errors


def test_a_file_of_a_newer_respmark_is_refused(triage: Triage, tmp_path: Path) -> None:
    """Its fields may mean something else."""
    path = tmp_path / "new.json"
    path.write_text(make_snapshot().model_dump_json().replace('"format":1', '"format":2'))
    finished = triage("--from", path)
    assert finished.code == ExitCode.INVALID_REQUEST
    assert "format" in finished.errors


def test_neither_a_value_nor_a_key_is_in_anything_that_is_written(triage: Triage, start: Start, tmp_path: Path) -> None:
    """Not of the slow log's arguments, not of MONITOR's, not of SCAN's; with --show-keys, names of large keys."""
    server = start("--slowlog-log-slower-than", "0")
    with Control(server.endpoint) as control:
        control.command("SET", "private:key", "private-value" * 100_000)
        control.command("EVAL", "return 'private-script'", 0)
        for flags in ((), ("--show-keys",)):
            path = tmp_path / "saved.json"
            outputs = [
                triage(
                    url_of(server), "--seconds", SECONDS, "--keys", "10", "--monitor", *flags, "--save", path
                ).output,
                *(triage("--from", path, "--format", written).output for written in FORMATS),
                path.read_text(),
            ]
            assert all("private-" not in text for text in outputs)
            assert all(("private:key" in text) is bool(flags) for text in outputs)


def test_hostile_names_cannot_act(triage: Triage, tmp_path: Path) -> None:
    """What a server says is shown as text: in a terminal, in Markdown and on the page."""
    nasty = "<script>alert(1)</script>\x1b[2J|`"
    node = CHURN.model_copy(update={"clients": (make_group(nasty, nasty, opened=9_000),), "address": nasty})
    path = saved(tmp_path / "nasty.json", make_snapshot(node))
    for written in FORMATS[:3]:
        text = triage("--from", path, "--format", written).output
        assert "\x1b" not in text
        assert written == "terminal" or "<script>" not in text


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (r'"nodes":\[.*\]', '"nodes":[]', "`nodes`"),
        (r'"seconds":10.0', '"seconds":0', "`seconds`"),
        (r'"seconds":10.0', '"seconds":"x"', "`seconds`"),
        (r"^.*$", "{", "the whole"),
        (r"^.*$", '{"nodes":[]}', "does not read"),
    ],
)
def test_a_file_that_is_not_valid_is_refused(triage: Triage, tmp_path: Path, old: str, new: str, said: str) -> None:
    """With the field; no word of another respmark."""
    path = tmp_path / "bad.json"
    path.write_text(re.sub(old, new, make_snapshot().model_dump_json()))
    finished = triage("--from", path)
    assert finished.code == ExitCode.INVALID_REQUEST
    assert said in finished.errors
    assert "older" not in finished.errors


def test_a_report_is_not_lost_with_its_file(triage: Triage, start: Start) -> None:
    """The watch was long, and the report is what it was for."""
    finished = triage(url_of(start()), "--seconds", SECONDS, "--save", "/nowhere/x.json")
    assert "no findings" in finished.output
    assert finished.code == ExitCode.NOT_WRITTEN
    assert "name another file with --save" in finished.errors


def test_a_password_of_one_digit_hides_no_counter(triage: Triage, start: Start) -> None:
    """It is in nothing that is said, but numbers are numbers."""
    server = start()
    with Control(server.endpoint) as control:
        control.command("CONFIG", "SET", "requirepass", "1")
    finished = triage(url_of(server, ":1@"), "--seconds", SECONDS, "--format", "json")
    assert finished.code == ExitCode.OK, finished.errors
    assert "***" not in finished.output


def test_clients_can_be_left_out(triage: Triage, start: Start) -> None:
    """Where there are very many."""
    finished = triage(url_of(start()), "--seconds", SECONDS, "--no-client-list")
    assert "CLIENT LIST (left out)" in " ".join(finished.output.split())


def test_a_baseline_of_another_server_is_said(triage: Triage, tmp_path: Path) -> None:
    """What is new would be everything."""
    other = BAD.model_copy(update={"address": "10.9.9.9:1", "first": {}, "last": {**BAD.last, "run_id": "z"}})
    before, now = saved(tmp_path / "a.json", make_snapshot(other)), saved(tmp_path / "b.json", make_snapshot(BAD))
    assert "which was of another server: 10.9.9.9:1" in triage("--from", now, "--baseline", before).output


def test_a_long_name_is_cut(triage: Triage, tmp_path: Path) -> None:
    """Some keys have thousands of characters."""
    key = SampledKey(name="k" * 3_000, kind="string", size_bytes=3_000_000, expires=True)
    sample = KeySample(asked=10, seen=1, largest=(key,), without_expiry=0, bytes_of_all=3_000_000)
    text = triage("--from", saved(tmp_path / "x.json", make_snapshot(make_node(keys=sample)))).output
    assert "(3,000 characters)" in " ".join(text.split())
    assert text.count("k") < 500


def test_keys_are_summed_up_by_type_and_by_the_beginning_of_their_names(triage: Triage, start: Start) -> None:
    """The latter only with --show-keys."""
    server = start()
    with Control(server.endpoint) as control:
        control.command("SET", "session:1", bytes(5_000), "EX", 600)
        control.command("RPUSH", "queue:1", bytes(50))
        hidden, shown = (
            json.loads(triage(url_of(server), "--seconds", SECONDS, "--keys", "9", *flags, "--format", "json").output)
            for flags in ((), ("--show-keys",))
        )
    kinds = hidden["keys"][0]["sample"]["kinds"]
    assert [(one["name"], one["keys"], one["expiring"]) for one in kinds] == [("string", 1, 1), ("list", 1, 0)]
    assert hidden["keys"][0]["sample"]["prefixes"] == []
    assert {one["name"] for one in shown["keys"][0]["sample"]["prefixes"]} == {"session:", "queue:"}
