"""How numbers are written in tables."""


def rps(value: float) -> str:
    """Write commands a second: `21,345`."""
    return f"{value:,.0f}"


def percent(value: float | None) -> str:
    """Write a percentage: `58 %`."""
    return "" if value is None else f"{value:.0f} %"


def microseconds(value: float) -> str:
    """Write microseconds with three significant digits: `27.1 µs`."""
    return f"{significant(value)} µs"


def milliseconds(value: float | None) -> str:
    """Write milliseconds with three significant digits, without the unit."""
    return "" if value is None else significant(value)


def significant(value: float) -> str:
    """Write three significant digits, never in exponents: `0.0451`, `1.20`, `345`, `12,300`."""
    if value == 0:
        return "0"
    if abs(value) >= 1000:  # noqa: PLR2004 - from here on, three digits would lose whole units
        return f"{value:,.0f}"
    digits = 3 - len(str(int(abs(value)))) if abs(value) >= 1 else 2 - _exponent(value)
    return f"{value:.{digits}f}"


def _exponent(value: float) -> int:
    return int(f"{value:e}".partition("e")[2])


def span(low: str, high: str) -> str:
    """Write a span: `20,100..22,000`."""
    return f"{low}..{high}"
