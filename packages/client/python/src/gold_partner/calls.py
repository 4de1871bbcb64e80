"""The operations of the service.

Each function describes one call, and GoldClient and AsyncGoldClient make it.

Codes that any call can have are not repeated here: connection and TLS errors, timeouts, refusals of the
certificate, the address or the token, and rate limits. Any write can also fail with
`idempotency_key_conflict`, and any write or probe with `daily_budget_exceeded`.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar, Unpack, cast
from urllib.parse import quote, urlencode

from . import replies
from .error import GoldError
from .exact_json import Quantity, read_json, write_json
from .exchange import Call
from .failure import Reply
from .streams import DEFAULT, Stream

T = TypeVar("T")

ID = re.compile(r"\w+(-\w+)*", re.ASCII)
IDEMPOTENCY_KEY = re.compile(r"[!-~]{1,255}")


@dataclass(frozen=True)
class Page(Generic[T]):
    items: list[T]
    next_cursor: str | None


@dataclass(frozen=True)
class Listing(Generic[T]):
    """A list that is read page after page.

    `next_name` is the query parameter that takes a page's next_cursor.
    """

    operation: str
    path: str
    next_name: str
    query: Mapping[str, str | int | None]

    def page(self, cursor: str | None) -> Call[Page[T]]:
        query = {**self.query} if cursor is None else {**self.query, self.next_name: cursor}
        return Call(self.operation, "GET", _target(self.path, query), _read_page)


def get_health() -> Call[replies.Health]:
    """Asks whether the service and its database work. Code: `service_unavailable`."""
    return Call("getHealth", "GET", "/health", _reader(replies.Health), needs_token=False)


def get_prices() -> Call[replies.Prices]:
    """Fetches the current prices. They are indicative: only a quote is firm. Code: `price_unavailable`."""
    return Call("getPrices", "GET", "/v1/prices", _reader(replies.Prices))


def get_price_history(*, after: str | None = None) -> Call[replies.PriceHistory]:
    """Fetches the prices of the last 24 hours, minute by minute. `after` leaves out bars that begin no later."""
    target = _target("/v1/prices/history", {"after": after})
    return Call("getPriceHistory", "GET", target, _reader(replies.PriceHistory))


def stream_prices() -> Stream[replies.Prices | None]:
    """Iterates over the prices as they change, without an end. None means that there is no fresh price.

    The client opens the stream again after it ends or its connection is lost. Until then, it yields nothing:
    compare `as_of` with the time before you use a price. Closing the iterator closes the connection.
    """
    # Without the annotation, mypy would not accept a function that returns None.
    readers: dict[bytes, Callable[[Reply], replies.Prices | None]] = {
        DEFAULT: _reader(replies.Prices),
        b"unavailable": lambda reply: None,
    }
    return Stream("streamPrices", "/v1/prices/stream", readers)


def fund_sandbox(amount_sar: Quantity, *, idempotency_key: str | None = None) -> Call[replies.SandboxFunding]:
    """Books test money to your own account. Only the sandbox has this operation. Code: `limit_exceeded`."""
    body = write_json({}, {"amount_sar": amount_sar})
    read = _reader(replies.SandboxFunding)
    return _write("fundSandbox", "/sandbox/fund", body, read, idempotency_key, needs_token=False)


def create_quote(
    side: replies.Side,
    *,
    gold_grams: Quantity | None = None,
    amount_sar: Quantity | None = None,
    idempotency_key: str | None = None,
    **texts: Unpack[replies.QuoteTexts],
) -> Call[replies.Quote]:
    """Requests a firm quote for an amount of gold or of SAR.

    The price is valid for 60 seconds and for one order.

    `reference` and `account_label` are your own texts of at most 64 characters. The order inherits them.

    Codes: `limit_exceeded`, `market_closed`, `open_quotes_exceeded`, `price_unavailable`.
    """
    if (gold_grams is None) == (amount_sar is None):
        raise GoldError("argument_invalid", "Pass either gold_grams or amount_sar.")
    members = {"side": side, **_texts("create_quote", texts, replies.QuoteTexts)}
    body = write_json(members, {"gold_grams": gold_grams, "amount_sar": amount_sar})
    return _write("createQuote", "/v1/quotes", body, _reader(replies.Quote), idempotency_key)


def get_quote(quote_id: str) -> Call[replies.Quote]:
    """Fetches a quote of yours and its status. Code: `not_found`."""
    return Call("getQuote", "GET", f"/v1/quotes/{_id(quote_id)}", _reader(replies.Quote))


def place_order(
    quote_id: str,
    *,
    idempotency_key: str | None = None,
    **texts: Unpack[replies.OrderTexts],
) -> Call[replies.PlacedOrder]:
    """Executes a quote, once. The order is signed.

    `reference` and `account_label` replace those that the order inherits from the quote.

    If the error's `outcome_unknown` is true, repeat the order with the error's `idempotency_key`.

    Codes: `quote_expired`, `quote_already_executed`, `not_found`, `insufficient_funds`, `insufficient_gold`,
    `insufficient_inventory`.
    """
    members = {"quote_id": quote_id, **_texts("place_order", texts, replies.OrderTexts)}
    body = write_json(members, {})
    read = _reader(replies.PlacedOrder)
    return _write("createOrder", "/v1/orders", body, read, idempotency_key, signed=True)


def get_order(order_id: str) -> Call[replies.Order]:
    """Fetches an order of yours. Code: `not_found`."""
    return Call("getOrder", "GET", f"/v1/orders/{_id(order_id)}", _reader(replies.Order))


def list_orders(
    *,
    created_after: str | None = None,
    created_before: str | None = None,
    idempotency_key: str | None = None,
    reference: str | None = None,
    account_label: str | None = None,
    limit: int | None = None,
) -> Listing[replies.Order]:
    """Iterates over your orders, newest first.

    Fetches each page when the loop needs it. `limit` is the number of items in a page. `created_after` and
    `created_before` are instants in RFC 3339, or dates for the beginning of a day in Asia/Riyadh.
    """
    return Listing("listOrders", "/v1/orders", "cursor", locals())


def create_withdrawal(
    amount_sar: Quantity,
    *,
    idempotency_key: str | None = None,
    **texts: Unpack[replies.WithdrawalTexts],
) -> Call[replies.CreatedWithdrawal]:
    """Withdraws SAR to your registered IBAN. The amount is held at once. The withdrawal is signed.

    Two employees of the operator release the payment. `reference` is your own text of at most 35 characters,
    and `account_label` of at most 64.

    Codes: `insufficient_funds`, `limit_exceeded`, `withdrawal_reference_reused`.
    """
    body = write_json(_texts("create_withdrawal", texts, replies.WithdrawalTexts), {"amount_sar": amount_sar})
    read = _reader(replies.CreatedWithdrawal)
    return _write("createWithdrawal", "/v1/withdrawals", body, read, idempotency_key, signed=True)


def cancel_withdrawal(
    withdrawal_id: str, *, idempotency_key: str | None = None
) -> Call[replies.CreatedWithdrawal]:
    """Cancels a withdrawal that waits for its approval, and makes the amount available again.

    Codes: `not_found`, `withdrawal_not_pending`.
    """
    path, read = f"/v1/withdrawals/{_id(withdrawal_id)}/cancel", _reader(replies.CreatedWithdrawal)
    return _write("cancelWithdrawal", path, b"{}", read, idempotency_key, signed=True)


def get_withdrawal(withdrawal_id: str) -> Call[replies.Withdrawal]:
    """Fetches a withdrawal of yours and its status. Code: `not_found`."""
    return Call("getWithdrawal", "GET", f"/v1/withdrawals/{_id(withdrawal_id)}", _reader(replies.Withdrawal))


def list_withdrawals(
    *,
    created_after: str | None = None,
    created_before: str | None = None,
    idempotency_key: str | None = None,
    reference: str | None = None,
    account_label: str | None = None,
    limit: int | None = None,
) -> Listing[replies.Withdrawal]:
    """Iterates over your withdrawals, newest first."""
    return Listing("listWithdrawals", "/v1/withdrawals", "cursor", locals())


def get_funding(funding_id: str) -> Call[replies.Funding]:
    """Fetches a funding of yours. Code: `not_found`."""
    return Call("getFunding", "GET", f"/v1/fundings/{_id(funding_id)}", _reader(replies.Funding))


def list_fundings(
    *,
    created_after: str | None = None,
    created_before: str | None = None,
    idempotency_key: str | None = None,
    limit: int | None = None,
) -> Listing[replies.Funding]:
    """Iterates over your fundings, newest first."""
    return Listing("listFundings", "/v1/fundings", "cursor", locals())


def get_balances(*, at: str | None = None) -> Call[replies.Balances]:
    """Fetches your balances, now or at a past instant such as 2026-01-31T12:30:00+03:00.

    A date is the beginning of that day in Asia/Riyadh.
    """
    return Call("getBalances", "GET", _target("/v1/balances", {"at": at}), _reader(replies.Balances))


def get_statement(first_day: str, last_day: str) -> Call[replies.Statement]:
    """Fetches the balances and every posting between two days, both included.

    A day is written as 2026-01-31, in the time zone Asia/Riyadh.
    """
    target = _target("/v1/statement", {"from": first_day, "to": last_day})
    return Call("getStatement", "GET", target, _reader(replies.Statement))


def get_statement_csv(first_day: str, last_day: str) -> Call[str]:
    """Fetches the same statement as CSV text."""
    target = _target("/v1/statement", {"from": first_day, "to": last_day})
    return Call("getStatement", "GET", target, _read_csv, headers={"Accept": "text/csv"})


def get_reserves() -> Call[replies.Reserves]:
    """Fetches the bars in the vault and the gold that is owed to all partners."""
    return Call("getReserves", "GET", "/v1/reserves", _reader(replies.Reserves))


def get_reserves_list(reserves_list_id: str) -> Call[replies.ReservesList]:
    """Fetches the bars of a list, which an order, get_balances or get_reserves names. A list never changes."""
    return Call(
        "getReservesList", "GET", f"/v1/reserves/lists/{_id(reserves_list_id)}", _reader(replies.ReservesList)
    )


def get_limits() -> Call[replies.Limits]:
    """Fetches your limits: quantities, request rate, quotas and market hours."""
    return Call("getLimits", "GET", "/v1/limits", _reader(replies.Limits))


def get_chain_key() -> Call[replies.ChainKey]:
    """Fetches the key with which you compute the lines of your own hash chain."""
    return Call("getChainKey", "GET", "/v1/chain-key", _reader(replies.ChainKey))


def get_account() -> Call[replies.Account]:
    """Fetches what is registered for you: name, addresses, masked IBAN, webhook endpoints, credentials and limits."""
    return Call("getAccount", "GET", "/v1/account", _reader(replies.Account))


def request_change(
    *,
    signing_key: replies.RequestedSigningKey | None = None,
    certificate_request: str | None = None,
    ip_range: str | None = None,
    webhook_endpoint: replies.RequestedWebhookEndpoint | None = None,
    idempotency_key: str | None = None,
) -> Call[replies.AccountChange]:
    """Requests a further signing key, certificate, IP range or webhook endpoint. Give exactly one of them.

    Nothing changes before people of the operator have approved it. Never send a private key or a secret.

    Code: `open_changes_exceeded`.
    """
    if signing_key is not None and "d" in signing_key:
        raise GoldError("argument_invalid", "signing_key must be a public key, but it has the private member d.")
    members = {
        "signing_key": signing_key,
        "certificate_request": certificate_request,
        "ip_range": ip_range,
        "webhook_endpoint": webhook_endpoint,
    }
    body = write_json(members, {})
    read = _reader(replies.AccountChange)
    return _write("requestChange", "/v1/account/changes", body, read, idempotency_key, signed=True)


def get_changes() -> Call[replies.AccountChanges]:
    """Fetches your newest 50 changes, newest first."""
    return Call("getChanges", "GET", "/v1/account/changes", _reader(replies.AccountChanges))


def get_change(change_id: str) -> Call[replies.AccountChange]:
    """Fetches a change that you requested, with the certificate of an approved request. Code: `not_found`."""
    return Call("getChange", "GET", f"/v1/account/changes/{_id(change_id)}", _reader(replies.AccountChange))


def get_credentials() -> Call[replies.Credentials]:
    """Fetches the names and the lifetimes of your credentials, without their secret values."""
    return Call("getCredentials", "GET", "/v1/credentials", _reader(replies.Credentials))


def list_events(*, after: int | None = None, limit: int | None = None) -> Listing[replies.Event]:
    """Iterates over your events after a sequence number, oldest first, with the state of their deliveries."""
    return Listing("listEvents", "/v1/events", "after", locals())


def stream_events(*, after: int) -> Stream[replies.Event]:
    """Iterates over your events as they happen, in order, without a gap and without an end.

    `after` is the sequence of the last event that you have, or 0 for all events. It is required, because a
    stream that begins "now" could lose the events during its first reconnection. The client opens the stream
    again after it ends or its connection is lost. It then continues after the last event that it yielded.
    Closing the iterator closes the connection.
    """
    if not isinstance(after, int):
        raise GoldError("argument_invalid", f"after must be the sequence of an event, or 0; got {after!r}.")
    return Stream("streamEvents", "/v1/events/stream", {DEFAULT: _read_event}, after)


def get_event(event_id: str) -> Call[replies.Event]:
    """Fetches an event of yours and the attempts to deliver it. Code: `not_found`."""
    return Call("getEvent", "GET", f"/v1/events/{_id(event_id)}", _read_event)


def redeliver_event(event_id: str, *, idempotency_key: str | None = None) -> Call[replies.Event]:
    """Makes the service send an event to your webhook again. Code: `not_found`."""
    path = f"/v1/events/{_id(event_id)}/redeliver"
    return _write("redeliverEvent", path, b"{}", _read_event, idempotency_key)


def test_webhook(*, idempotency_key: str | None = None) -> Call[replies.Event]:
    """Makes the service send an event `webhook.test` to your webhook."""
    return _write("testWebhook", "/v1/webhook/test", b"{}", _read_event, idempotency_key)


def probe_signature(body: bytes = b"{}") -> Call[replies.ProbeVerdict]:
    """Signs a body as an order is signed, and returns what the service finds.

    It moves neither money nor gold.
    """
    return Call(
        "probeSignature", "POST", "/v1/signed-probe", _reader(replies.ProbeVerdict), body=body, signed=True
    )


def simulate_withdrawal(
    withdrawal_id: str,
    outcome: Literal["approved", "submitted", "paid", "rejected", "returned"],
    *,
    idempotency_key: str | None = None,
) -> Call[replies.Withdrawal]:
    """Takes a withdrawal of yours to an outcome, as the operator's people and the bank would.

    Only the sandbox has the simulations. Codes: `not_found`,
    `withdrawal_outcome_unreachable` if the withdrawal can no longer reach the outcome.
    """
    members = {"withdrawal_id": withdrawal_id, "outcome": outcome}
    return _simulate("withdrawal", members, replies.Withdrawal, idempotency_key)


def simulate_deposit(amount_sar: Quantity, *, idempotency_key: str | None = None) -> Call[replies.Funding]:
    """Lets a bank transfer arrive. Unlike the money of fund_sandbox(), it can be reversed.

    Code: `limit_exceeded`.
    """
    body, read = write_json({}, {"amount_sar": amount_sar}), _reader(replies.Funding)
    return _write("simulateDeposit", "/sandbox/simulate/deposit", body, read, idempotency_key)


def simulate_deposit_reversal(
    funding_id: str, *, idempotency_key: str | None = None
) -> Call[replies.Funding]:
    """Lets the bank take a transfer back. Codes: `not_found`, `insufficient_funds`."""
    members = {"funding_id": funding_id}
    return _simulate("deposit_reversal", members, replies.Funding, idempotency_key)


def simulate_quote_expiry(quote_id: str, *, idempotency_key: str | None = None) -> Call[replies.Quote]:
    """Lets a quote of yours expire now. Codes: `not_found`, `quote_already_executed`."""
    return _simulate("quote_expiry", {"quote_id": quote_id}, replies.Quote, idempotency_key)


def simulate_event(
    type: replies.SimulatedEventType, *, idempotency_key: str | None = None
) -> Call[replies.SimulatedEvent]:
    """Lets an event happen that otherwise the operator or the calendar causes. Code: `not_found`."""
    return _simulate("event", {"type": type}, replies.SimulatedEvent, idempotency_key)


def simulate_market(
    state: replies.MarketState, *, seconds: int | None = None, idempotency_key: str | None = None
) -> Call[replies.Simulations]:
    """Closes the market for you alone, makes its price stale, or leaves the vault short of gold.

    `normal` ends it. `seconds` is 1 to 600; the service's default is 60.
    """
    members = {"state": state, "seconds": seconds}
    return _simulate("market", members, replies.Simulations, idempotency_key)


def simulate_prices(
    percent: int, *, seconds: int | None = None, idempotency_key: str | None = None
) -> Call[replies.Simulations]:
    """Moves the prices for you alone, by -50 to 50 percent. `seconds` is 1 to 600; the default is 60."""
    members = {"percent": percent, "seconds": seconds}
    return _simulate("prices", members, replies.Simulations, idempotency_key)


def simulate_failure(
    kind: replies.FailureKind,
    *,
    code: str | None = None,
    seconds: int | None = None,
    count: int | None = None,
    idempotency_key: str | None = None,
) -> Call[replies.Simulations]:
    """Lets your next requests under /v1 fail: `count` of them, 1 to 10, by default 1.

    `refused` needs a `code`, such as token_expired. `hang` takes `seconds`, 1 to 30, by default 5. The client
    retries these requests like any others, so a call can succeed in spite of a failure.
    """
    members = {"kind": kind, "code": code, "seconds": seconds, "count": count}
    return _simulate("failure", members, replies.Simulations, idempotency_key)


def simulate_webhooks(
    kind: replies.WebhooksKind,
    *,
    count: int | None = None,
    seconds: int | None = None,
    idempotency_key: str | None = None,
) -> Call[replies.Simulations]:
    """Changes how your next `count` events are delivered to your webhook endpoint: 1 to 10, by default 1.

    `late` takes `seconds`, 1 to 60, by default 5.
    """
    members = {"kind": kind, "count": count, "seconds": seconds}
    return _simulate("webhooks", members, replies.Simulations, idempotency_key)


def get_simulations() -> Call[replies.Simulations]:
    """Fetches your active simulations. Each one ends by itself within ten minutes."""
    return Call("getSimulations", "GET", "/sandbox/simulations", _reader(replies.Simulations))


def reset_simulations(*, idempotency_key: str | None = None) -> Call[replies.Simulations]:
    """Ends your active simulations. Decided withdrawals, deposits and expired quotes stay as they are."""
    read = _reader(replies.Simulations)
    return _write("resetSimulations", "/sandbox/simulate/reset", b"{}", read, idempotency_key)


def _simulate(
    name: str, members: Mapping[str, str | int | None], reply_type: type[T], idempotency_key: str | None
) -> Call[T]:
    operation = "simulate" + name.title().replace("_", "")
    body = write_json(members, {})
    return _write(operation, f"/sandbox/simulate/{name}", body, _reader(reply_type), idempotency_key)


def _texts(call: str, texts: Mapping[str, object], known: Any) -> dict[str, str | None]:
    """Refuses a misspelt argument as Python does, before anything is sent."""
    for name in texts.keys() - known.__annotations__.keys():
        raise TypeError(f"{call}() got an unexpected keyword argument {name!r}")
    return cast(dict[str, str | None], texts)


def _write(
    operation: str,
    path: str,
    body: bytes,
    read: Callable[[Reply], T],
    idempotency_key: str | None,
    *,
    needs_token: bool = True,
    signed: bool = False,
) -> Call[T]:
    key = str(uuid.uuid4()) if idempotency_key is None else idempotency_key
    if not isinstance(key, str) or not IDEMPOTENCY_KEY.fullmatch(key):
        raise GoldError("argument_invalid", "idempotency_key must be 1 to 255 visible ASCII characters.")
    return Call(operation, "POST", path, read, body, key, needs_token, signed)


def _id(value: str) -> str:
    """Returns the id. Any other text, for example one with a slash, could lead to another path."""
    if isinstance(value, str) and ID.fullmatch(value):
        return value
    raise GoldError("argument_invalid", f"{value!r} is not an id; pass the id that the service returned.")


def _target(path: str, query: Mapping[str, str | int | None]) -> str:
    given = {name: value for name, value in query.items() if value is not None}
    # A space is %20, because the service refuses a plus in a query.
    return f"{path}?{urlencode(given, quote_via=quote)}" if given else path


def _reader(reply_type: type[T]) -> Callable[[Reply], T]:
    """Returns a function that reads a reply of this TypedDict.

    It refuses a reply without a required member. Values are not checked, because the service may add some.
    """
    required: frozenset[str] = reply_type.__required_keys__  # type: ignore[attr-defined]

    def read(reply: Reply) -> T:
        members = _read_members(reply)
        missing = sorted(required - members.keys())
        if missing:
            raise ValueError(f"it has no member {missing[0]}")
        return cast(T, members)

    return read


def _read_members(reply: Reply) -> dict[str, Any]:
    members = read_json(reply.body)
    if not isinstance(members, dict):
        raise ValueError("it is not a JSON object")
    return members


#: Every event has these members, even an event of a type that is added later.
_read_event = cast(Callable[[Reply], replies.Event], _reader(replies.TestEvent))


def _read_page(reply: Reply) -> Page[Any]:
    members = _read_members(reply)
    if not isinstance(members.get("items"), list) or "next_cursor" not in members:
        raise ValueError("it has no valid items or no next_cursor")
    return Page(members["items"], members["next_cursor"])


def _read_csv(reply: Reply) -> str:
    media_type = reply.headers.get("Content-Type", "nothing")
    if not re.match(r"text/csv\b", media_type, re.IGNORECASE):
        raise ValueError(f"Content-Type must be text/csv; got {media_type}")
    return reply.body.decode()
