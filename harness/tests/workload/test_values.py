"""The bytes of values."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from respmark.workload.values import ALPHABET, MULTIPLIER, make_block, start
from tests.properties import UNTIMED


@UNTIMED
@given(st.integers(8, 24).flatmap(lambda bits: st.tuples(st.just(bits), st.integers(0, (1 << bits) - 1))))
def test_a_value_begins_where_the_contract_says(drawn: tuple[int, int]) -> None:
    """The place is key times multiplier, modulo a power of two, and exact in doubles."""
    bits, key = drawn
    assert start(key, bits) == key * MULTIPLIER % 2**bits
    assert key * MULTIPLIER < 2**53


def test_all_keys_begin_at_places_of_their_own() -> None:
    """A reply that belongs to another key is noticed."""
    assert len({start(key, 12) for key in range(1 << 12)}) == 1 << 12


def test_the_block_has_room_for_the_largest_value_at_its_last_place() -> None:
    """No value is cut short, and all of it is printable ASCII."""
    block = make_block(np.random.Generator(np.random.PCG64(1)), 8, 100)
    assert len(block) == 256 + 100
    assert set(block.tolist()) <= set(ALPHABET.tolist())
    assert block.tobytes().decode("ascii").isprintable()
