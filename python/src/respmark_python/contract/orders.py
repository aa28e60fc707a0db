"""The harness's orders, read from one JSON object each."""

from dataclasses import dataclass
from typing import Final

from respmark_python.contract.fields import Fields, boolean, one_of, parse_json, whole

ORDERS: Final = ("connect", "slice", "finish")


@dataclass(frozen=True)
class SliceOrder:
    """Work for one slice now."""

    slice: int
    duration_ns: int
    lead_in_ns: int
    first_command: int
    keep_samples: bool


def parse_order(line: bytes | str, where: str) -> tuple[str, SliceOrder | None]:
    """Return the order's name, and its fields if it is `slice`.

    Raises:
        InvalidInputError: it is not a valid order.
    """
    fields = Fields(parse_json(line, where), where)
    name = fields.take("order", one_of(ORDERS))
    order = _slice(fields) if name == "slice" else None
    fields.finish()
    return name, order


def _slice(fields: Fields) -> SliceOrder:
    return SliceOrder(
        slice=fields.take("slice", whole(1)),
        duration_ns=fields.take("duration_ns", whole(1)),
        lead_in_ns=fields.take("lead_in_ns", whole(0), 0),
        first_command=fields.take("first_command", whole(0)),
        keep_samples=fields.take("keep_samples", boolean),
    )
