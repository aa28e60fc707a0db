"""Workloads as their sections say them."""

from pathlib import Path

import pytest

from respmark.errors import InvalidRequestError, SpecError
from respmark.workload.spec import KeyArgument, LiteralArgument, ValueArgument, WorkloadSpec
from tests.builders.plan import SHIPPED


def workload(folder: Path, text: str) -> WorkloadSpec:
    """Load a file of one's own."""
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return SHIPPED.workload(str(path))


def test_a_command_is_written_as_it_is_typed(tmp_path: Path) -> None:
    """Keys and values follow each other; all other words are texts, also empty ones and those with spaces."""
    spec = workload(tmp_path, """like = "get"\ncommand = "MSET 2*(key value) 'a b' '' 10*x" """)
    (kind,) = spec.mix
    pairs = [one(offset=number) for number in (0, 1) for one in (KeyArgument, ValueArgument)]
    assert list(kind.arguments) == [*pairs, *(LiteralArgument(text=text) for text in ("a b", "", "10*x"))]
    assert (kind.name, kind.share, kind.keys) == ("MSET", 1, spec.preload_keys)


def test_a_workload_has_from_another_one_what_it_does_not_say(tmp_path: Path) -> None:
    """Its name is that of its file; the key space follows from how many keys are preloaded."""
    spec = workload(tmp_path, 'like = "hgetall"\nvalue_bytes = 9\npreload_keys = 5')
    base = SHIPPED.workload("hgetall")
    assert (spec.name, spec.summary, spec.hash_fields) == ("mine", base.summary, base.hash_fields)
    assert (spec.sizes.mean_bytes, spec.sizes.max_bytes, spec.sizes.distinct) == (9, 9, base.sizes.distinct)
    assert (spec.structures[0].keys, spec.mix[0].keys) == (5, 5)


def test_a_workload_may_have_settings_in_its_name() -> None:
    """As in a file of one's own; results tell it from the workload itself by its name."""
    spec = SHIPPED.workload("quick[value_bytes=300,commands=9]")
    assert (spec.name, spec.sizes.mean_bytes, spec.commands) == ("quick[value_bytes=300,commands=9]", 300, 9)
    assert spec.mix == SHIPPED.workload("quick").mix
    with pytest.raises(InvalidRequestError, match="there is no workload `nope`"):
        SHIPPED.workload("nope[value_bytes=300]")


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ('like = "nope"', InvalidRequestError, "there is no workload `nope`"),
        ("""like = "get"\ncommand = "GET 'key" """, SpecError, "`mine`: a command has no closing quotation"),
        ('like = "get"\ncommand = ""', SpecError, "`mix.[1].name`: "),
        ('like = "get"\nkey_digit = 9', SpecError, "`key_digit`: is not a key that respmark knows"),
        ('like = "get"\nmix = [5]', SpecError, "`mix.[1]`: "),
    ],
)
def test_what_is_no_workload_is_refused(
    tmp_path: Path, text: str, error: type[InvalidRequestError | SpecError], said: str
) -> None:
    with pytest.raises(error) as caught:
        workload(tmp_path, text)
    assert said in str(caught.value)
