"""How long elements wait for the client that takes them."""

import numpy as np
import pytest

from respmark.kinds.loops.elements import waits_ns


@pytest.mark.parametrize(
    ("sent", "ended", "waited"),
    [
        ([10, 20, 30], [11, 22, 33], [1, 2, 3]),
        ([10], [2, 4, 6, 8, 10, 12], [2]),
        ([10, 11, 12], [20, 30], [10, 19]),
        ([10, 31], [20, 30], [10]),
        ([], [20, 30], []),
        ([10], [], []),
    ],
    ids=["blocking", "polling", "backlog", "too late", "none came", "none was taken"],
)
def test_each_element_is_taken_by_the_first_unit_that_ends_after_it(
    sent: list[int], ended: list[float], waited: list[float]
) -> None:
    """In their order, one a unit; polls in vain take none."""
    assert waits_ns(sent, np.array(ended, dtype=np.float64)) == waited
