"""How numbers are written in tables and messages."""

from collections.abc import Callable


def rps(value: float) -> str:
    """Write commands per second: `21,345`."""
    return f"{value:,.0f}"


def percent(value: float | None) -> str:
    """Write a percentage: `58 %`."""
    return "" if value is None else f"{value:.0f} %"


def microseconds(value: float | None) -> str:
    """Write microseconds with three significant digits: `27.1 µs`; nothing if they are not known."""
    return "" if value is None else f"{significant(value)} µs"


def milliseconds(value: float | None) -> str:
    """Write milliseconds with three significant digits, without the unit."""
    return "" if value is None else significant(value)


def significant(value: float | None) -> str:
    """Write three significant digits, never in exponents: `0.0451`, `1.20`, `345`, `12,300`; nothing if not known."""
    if value is None:
        return ""
    if value == 0:
        return "0"
    if abs(value) >= 999.5:  # noqa: PLR2004 - from here on, three digits would lose whole units
        return f"{value:,.0f}"
    return f"{value:.{2 - _exponent(value)}f}"


def ratio(value: float) -> str:
    """Write a ratio: `0.042`, `1.37`, `22.7`, `345`; a small one has one more digit to distinguish it from others."""
    if abs(value) < 0.1:  # noqa: PLR2004 - two decimals would leave one digit
        return f"{value:.3f}"
    return f"{value:.2f}" if abs(value) < 9.995 else significant(value)  # noqa: PLR2004 - from here on, three digits


def duration(seconds: float) -> str:
    """Write a duration: `42 s`, `7 min`, `3 h 20 min`."""
    minutes = round(seconds / 60)
    if seconds < 100:  # noqa: PLR2004 - below that, seconds are what a reader wants
        return f"{seconds:.0f} s"
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"  # noqa: PLR2004 - as above


def interval(
    value: float, low: float | None, high: float | None, write: Callable[[float], str] = ratio, without: str = ""
) -> str:
    """Write a figure with its interval: `0.81 (0.79..0.83)`; `without` stands in brackets where there is none."""
    ends = without if low is None or high is None else f"{write(low)}..{write(high)}"
    return f"{write(value)} ({ends})" if ends else write(value)


def _exponent(value: float) -> int:
    return int(f"{value:.2e}".partition("e")[2])
