"""Reads and writes JSON without floats. A quantity is a Decimal, read from the digits of the JSON number."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from math import isinf
from typing import Any, NoReturn, TypeAlias

from .error import GoldError

#: A quantity as a caller may pass it: "1.5", Decimal("1.5") or 10000. A float has no exact decimals.
Quantity: TypeAlias = Decimal | int | str

SAR_DECIMALS, GRAM_DECIMALS = 2, 4
# The unit of a quantity is the last word of its name, as in total_sar and gold_grams. Other exact numbers are
# listed here.
DECIMAL_NAMES = {
    "buy_price",
    "sell_price",
    "price_per_gram_sar",
    "fineness",
    "coverage",
    "clock_offset_seconds",
}
JSON_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")


class JsonError(ValueError):
    """The text is not JSON in UTF-8, or it is ambiguous."""


def read_json(body: bytes) -> Any:
    """Returns the value of a body. Quantities are Decimal, counts are int.

    Raises JsonError if the body is not JSON in UTF-8, or if a name occurs twice in an object.
    """
    try:
        value = json.loads(
            body.decode("utf-8"),
            parse_int=Decimal,
            parse_float=Decimal,
            parse_constant=_refuse,
            object_pairs_hook=_members,
        )
    except (ValueError, InvalidOperation, RecursionError) as cause:
        raise JsonError("the body is not JSON in UTF-8") from cause
    return _exact(value, is_quantity=False)


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("a name occurs twice in an object")
    return members


def _exact(value: Any, *, is_quantity: bool) -> Any:
    """A number without its own unit has the unit of the member around it, as in {"sar": {"available": 1}}."""
    if isinstance(value, Decimal):
        is_count = not is_quantity and value.as_tuple().exponent == 0
        return int(value) if is_count else value
    if isinstance(value, list):
        return [_exact(item, is_quantity=is_quantity) for item in value]
    if not isinstance(value, dict):
        return value
    # A posting has a member `account` beside its numbers. The account gives their unit.
    within = isinstance(value.get("account"), str) or is_quantity
    return {name: _exact(member, is_quantity=within or _is_quantity(name)) for name, member in value.items()}


def _is_quantity(name: str) -> bool:
    return name in DECIMAL_NAMES or name.rpartition("_")[2] in ("sar", "grams")


def parse_quantity(text: str, decimals: int) -> Decimal:
    """Returns the value of a quantity's text, which is written as a JSON number.

    Raises ValueError unless it is above zero, has at most `decimals` decimals and is within the range of a
    double. Nothing is rounded.
    """
    if not JSON_NUMBER.fullmatch(text):
        raise ValueError("it is not a decimal number")
    value = Decimal(text)
    if text.startswith("-") or value == 0:
        raise ValueError("it is not above zero")
    if isinf(float(value)):
        raise ValueError("it is above the greatest double")
    if _last_exponent(value) < -decimals:
        raise ValueError(f"it has more than {decimals} decimals")
    return value


def _last_exponent(value: Decimal) -> int:
    """Returns the exponent of the last digit that is not 0: -2 for 1.250."""
    _, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)  # a finite number
    written = "".join(map(str, digits))
    return exponent + len(written) - len(written.rstrip("0"))


def format_decimal(value: Decimal) -> str:
    """Returns the shortest decimal text, without an exponent: 1.5 for 1.50."""
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def write_json(members: Mapping[str, object], quantities: Mapping[str, Quantity | None]) -> bytes:
    """Writes a request body. Members that are None are left out."""
    values = {name: json.dumps(member) for name, member in members.items() if member is not None}
    values |= {name: _wire_number(name, value) for name, value in quantities.items() if value is not None}
    return f"{{{','.join(f'{json.dumps(name)}:{value}' for name, value in values.items())}}}".encode()


def _wire_number(name: str, value: Quantity) -> str:
    decimals = GRAM_DECIMALS if name.endswith("grams") else SAR_DECIMALS
    try:
        if isinstance(value, bool) or not isinstance(value, Decimal | int | str):
            raise ValueError("only Decimal, str and int are exact")
        return format_decimal(parse_quantity(str(value), decimals))
    except ValueError as cause:
        detail = f'{name} must be a quantity such as Decimal("1.5") or "1.5"; got {value!r}: {cause}.'
        raise GoldError("argument_invalid", detail) from cause
