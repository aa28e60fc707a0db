"""How long elements of a list wait for the client that takes them."""

from collections.abc import Iterable

from respmark.kinds.loops.open_loop import Times


def waits_ns(sent_ns: Iterable[int], ended_ns: Times) -> list[float]:
    """Return how long each element waited, from when it was sent until its client had it; without those still there.

    Elements are taken one at a time, the first one first: each by the first unit that ended after it was sent and that
    took none before. A poll that was under way when an element came, and may have been too early for it, counts as the
    one that took it: with polls that last a hundredth of the time between them, that is one in a hundred.

    Args:
        sent_ns: When elements were sent, ascending.
        ended_ns: When units ended, ascending, by the same clock.
    """
    waits: list[float] = []
    ended = iter(ended_ns.tolist())
    for sent in sent_ns:
        taken = next((end for end in ended if end > sent), None)
        if taken is None:
            break
        waits.append(taken - sent)
    return waits
