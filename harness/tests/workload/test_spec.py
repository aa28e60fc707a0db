"""What a workload may be made from."""

import pytest
from pydantic import ValidationError

from respmark.workload.spec import CommandSpec, KeyArgument, SizeSpec, ValueArgument
from tests.builders.plan import tiny_spec, tiny_workload


def get(**changes: object) -> CommandSpec:
    """Return a GET, changed."""
    fields: dict[str, object] = {"name": "GET", "share": 1.0, "keys": 8, "arguments": (KeyArgument(),)}
    return CommandSpec.model_validate(fields | changes)


def test_shares_must_add_up_to_one() -> None:
    """A mix that leaves something out is refused with its sum."""
    with pytest.raises(ValidationError, match=r"add up to 0\.9, not to 1"):
        tiny_spec(mix=(get(share=0.9),))


def test_thirds_add_up_to_one() -> None:
    """What differs by rounding only is accepted."""
    assert len(tiny_spec(mix=(get(share=1 / 3),) * 3).mix) == 3


@pytest.mark.parametrize("name", ["get", "GET KEY", ""])
def test_a_command_is_one_upper_case_word(name: str) -> None:
    """The server's counters are found by the command's name."""
    with pytest.raises(ValidationError, match="name"):
        get(name=name)


def test_keys_must_fit_their_digits() -> None:
    """Keys of different length would make requests of different size."""
    with pytest.raises(ValidationError, match="100 keys do not fit key_digits = 1"):
        tiny_spec(mix=(get(keys=100),), key_digits=1)


@pytest.mark.parametrize("change", [{"key_digits": 1, "preload_keys": 10}, {"preload_keys": 256}])
def test_keys_may_fill_their_room(change: dict[str, object]) -> None:
    """Ten keys have one digit, and 256 places are enough for 256 keys."""
    assert tiny_spec(**change).preload_keys == change["preload_keys"]


@pytest.mark.parametrize("change", [{"min_bytes": 20}, {"max_bytes": 10}, {"min_bytes": 0}, {"mean_bytes": 0.0}])
def test_sizes_must_be_in_order(change: dict[str, object]) -> None:
    """The mean lies between the smallest and the largest size, which is not zero."""
    fields = {"mean_bytes": 16.0, "standard_deviation_bytes": 4.0, "min_bytes": 4, "max_bytes": 32}
    with pytest.raises(ValidationError):
        SizeSpec.model_validate(fields | change)


def test_all_values_may_have_one_size() -> None:
    """Bounds may equal the mean."""
    sizes = SizeSpec(mean_bytes=16, standard_deviation_bytes=0, min_bytes=16, max_bytes=16)
    assert set(tiny_workload(sizes=sizes).sizes.tolist()) == {0, 16}


def test_an_empty_mix_is_refused() -> None:
    """There is nothing to send."""
    with pytest.raises(ValidationError, match="mix"):
        tiny_spec(mix=())


def test_writes_must_stay_within_the_preloaded_keys() -> None:
    """The contract says that a GET misses exactly when its key was not preloaded: no SET may make such a key."""
    write = CommandSpec(name="SET", share=1.0, keys=9, arguments=(KeyArgument(), ValueArgument()))
    with pytest.raises(ValidationError, match="preload_keys"):
        tiny_spec(mix=(write,), preload_keys=8)
