"""Written by `npm run docs` from the members of the records that the service uses.

Quantities are Decimal, instants are texts such as 2026-01-31T09:30:00.000Z.
"""

# Without `from __future__ import annotations`, which would hide NotRequired from __required_keys__.

from decimal import Decimal
from typing import Literal, NotRequired, TypedDict

Side = Literal["buy", "sell"]


class Quote(TypedDict):
    """A firm price for 60 seconds, for one order. It reserves neither funds nor gold."""

    #: The id: qt_ and a UUIDv7.
    quote_id: str
    #: From your point of view: buy pays SAR for gold, sell gives gold for SAR.
    side: Side
    #: Grams of gold, at most 4 decimals.
    gold_grams: Decimal
    #: SAR per gram, at most 4 decimals.
    price_per_gram_sar: Decimal
    #: The SAR that the order moves, rounded up to the halala for a buy and down for a sell.
    total_sar: Decimal
    #: Only an open quote can be executed. Values may be added.
    status: str
    #: When the quote was made.
    created_at: str
    #: Until when the price is firm.
    expires_at: str
    #: Your own reference; absent if you sent none.
    reference: NotRequired[str]
    #: Your own customer, account or desk; absent if you sent none.
    account_label: NotRequired[str]


class QuoteTexts(TypedDict, total=False):
    """The texts that a request may give."""

    reference: str | None
    account_label: str | None


class Order(TypedDict):
    """An executed order."""

    #: The id: ord_ and a UUIDv7.
    order_id: str
    #: The id: qt_ and a UUIDv7.
    quote_id: str
    #: From your point of view: buy pays SAR for gold, sell gives gold for SAR.
    side: Side
    #: The gold that moved, in grams, at most 4 decimals.
    gold_grams: Decimal
    #: SAR per gram, at most 4 decimals.
    price_per_gram_sar: Decimal
    #: The SAR that moved, at most 2 decimals.
    total_sar: Decimal
    #: An order is executed completely, or it does not exist. Values may be added.
    status: str
    #: When the order was booked.
    executed_at: str
    #: Your own reference; absent if you sent none.
    reference: NotRequired[str]
    #: Your own customer, account or desk; absent if you sent none.
    account_label: NotRequired[str]
    #: The list of bars that was in force when the order was executed. Absent for orders before 0.4.0.
    reserves_list_id: NotRequired[str]


class OrderTexts(TypedDict, total=False):
    """The texts that a request may give."""

    reference: str | None
    account_label: str | None


class Withdrawal(TypedDict):
    """An outgoing payment. If it is rejected, returned or cancelled, the amount is available again."""

    #: The id: wd_ and a UUIDv7.
    withdrawal_id: str
    #: The SAR to pay out, at most 2 decimals.
    amount_sar: Decimal
    #: Your own reference, or null if you sent none.
    reference: str | None
    #: The first and last four characters of the IBAN that was registered at the time of the request.
    iban_masked: str
    #: pending_approval: the operator has not decided. approved, submitted: on its way to the bank. paid:
    #: done. rejected, returned: the amount is available again. cancelled: you cancelled it, and the amount
    #: is available again. Values may be added.
    status: str
    #: When you requested the withdrawal.
    created_at: str
    #: Your own customer, account or desk; absent if you sent none.
    account_label: NotRequired[str]


class WithdrawalTexts(TypedDict, total=False):
    """The texts that a request may give."""

    reference: str | None
    account_label: str | None


class Funding(TypedDict):
    """SAR that were added to the account."""

    #: The id: fnd_ and a UUIDv7.
    funding_id: str
    #: The amount of the funding, at most 2 decimals.
    amount_sar: Decimal
    #: When the funding was booked.
    created_at: str


class PostingTexts(TypedDict):
    """The texts of the order or withdrawal that caused a posting."""

    #: Your own reference; absent if you sent none.
    reference: NotRequired[str]
    #: Your own customer, account or desk; absent if you sent none.
    account_label: NotRequired[str]
