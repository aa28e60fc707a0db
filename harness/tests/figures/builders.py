"""Comparisons made by hand."""

from collections.abc import Sequence

import numpy as np

from respmark.figures.estimate import LogRatios


def make_rounds(*rounds: tuple[float, Sequence[float]]) -> LogRatios:
    return LogRatios(
        np.array([value for value, _ in rounds]),
        np.array([len(spread) for _, spread in rounds]),
        np.concatenate([np.array(spread, dtype=np.float64) for _, spread in rounds]),
    )
