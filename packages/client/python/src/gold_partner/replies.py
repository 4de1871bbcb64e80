"""The replies of the service. Quantities are Decimal, instants are texts such as 2026-01-31T09:30:00.000Z.

A test compares these types with the service's OpenAPI document. The service may add members and values.
"""

# Without `from __future__ import annotations`, which would hide NotRequired from __required_keys__.

from decimal import Decimal
from typing import Literal, NotRequired, TypedDict

from . import records
from .records import Order as Order
from .records import OrderTexts as OrderTexts
from .records import Quote as Quote
from .records import QuoteTexts as QuoteTexts
from .records import Side as Side
from .records import WithdrawalTexts as WithdrawalTexts


class Health(TypedDict):
    status: Literal["ok"]


class Prices(TypedDict):
    """Indicative prices. Only a quote is firm."""

    currency: Literal["SAR"]
    unit: Literal["gram"]
    purity: Literal["24K"]
    #: The price that you pay, in SAR per gram. It is above the sell price.
    buy_price: Decimal
    #: The price that you receive, in SAR per gram.
    sell_price: Decimal
    as_of: str
    market: Literal["open", "closed"]


class PriceRange(TypedDict):
    """The prices of one minute, in SAR per gram."""

    first: Decimal
    highest: Decimal
    lowest: Decimal
    last: Decimal


class PriceBar(TypedDict):
    #: The beginning of the minute.
    begins_at: str
    buy_price: PriceRange
    sell_price: PriceRange


class PriceHistory(TypedDict):
    """The prices of the last 24 hours. A minute without a new price has no bar."""

    currency: Literal["SAR"]
    unit: Literal["gram"]
    purity: Literal["24K"]
    bars: list[PriceBar]


class SarBalance(TypedDict):
    #: Can be traded or withdrawn.
    available: Decimal
    #: Held for withdrawals that are not paid yet.
    held: Decimal


class ReservesShare(TypedDict):
    """Your gold as a share of a list of bars."""

    reserves_list_id: str
    fine_grams: Decimal
    #: Your gold divided by fine_grams, as a decimal rounded down to 12 decimals.
    share: str


class GoldBalance(TypedDict):
    grams: Decimal
    #: Only from get_balances, and not for instants before the first list.
    reserves: NotRequired[ReservesShare]


class Balances(TypedDict):
    """The account at one instant."""

    sar: SarBalance
    gold: GoldBalance
    as_of: str


class PlacedOrder(Order):
    #: The account right after the order.
    balances: Balances


class Withdrawal(records.Withdrawal):
    #: The reference of the payment at the banks (EndToEndId). None until the payment is submitted.
    bank_reference: str | None
    #: The day on which the operator's bank is to pay, in Asia/Riyadh. None until the payment is submitted.
    expected_on: str | None


class CreatedWithdrawal(records.Withdrawal):
    #: The account right after the withdrawal.
    balances: Balances


class Funding(records.Funding):
    #: When the bank took the payment back. None: the payment was not reversed.
    reversed_at: str | None


class SandboxFunding(records.Funding):
    #: The account right after the funding.
    balances: Balances


MarketState = Literal["closed", "price_stale", "vault_short", "withdrawals_spent", "normal"]
FailureKind = Literal["rate_limited", "unavailable", "timeout", "refused", "hang", "lost_reply"]
WebhooksKind = Literal["twice", "late", "out_of_order", "other_secret"]


class Armed(TypedDict):
    #: When the simulation ends by itself.
    until: str


class ArmedMarket(Armed):
    state: str


class ArmedPrices(Armed):
    percent: int


class ArmedFailure(Armed):
    kind: str
    #: The code that the requests get. None: they are executed.
    code: str | None
    #: With hang: how late the reply comes.
    seconds: int | None
    #: How many more requests it affects.
    remaining: int


class ArmedWebhooks(Armed):
    kind: str
    #: Only with late: how many seconds late the events are sent.
    seconds: int | None
    #: How many more events this simulation affects.
    remaining: int


SimulatedEventType = Literal[
    "credential.added",
    "credential.expiring",
    "credential.ended",
    "settlement.changed",
    "webhook_endpoint.changed",
    "day.closed",
]


class SimulatedEvent(TypedDict):
    """The event that a simulation made, without its data."""

    id: str
    #: A SimulatedEventType; values may be added.
    type: str
    sequence: int
    created_at: str


class Simulations(TypedDict):
    """Your active simulations in the sandbox. A member is None if there is no such simulation."""

    market: ArmedMarket | None
    prices: ArmedPrices | None
    failure: ArmedFailure | None
    webhooks: ArmedWebhooks | None


class StatementBalance(TypedDict):
    available_sar: Decimal
    held_sar: Decimal
    gold_grams: Decimal


class Posting(records.PostingTexts):
    posted_at: str
    #: The id of the order, funding or withdrawal that caused the posting.
    id: str
    #: The kind of event that caused the posting, such as order.executed or withdrawal.returned.
    type: str
    account: Literal["available_sar", "held_sar", "gold_grams"]
    #: In the account's unit. Negative when the balance went down.
    change: Decimal
    balance_after: Decimal
    #: The list of bars that the order names. Absent for other postings and for orders before 0.4.0.
    reserves_list_id: NotRequired[str]


Statement = TypedDict(
    "Statement",
    {
        "from": str,
        "to": str,
        "time_zone": Literal["Asia/Riyadh"],
        "opening_balance": StatementBalance,
        "closing_balance": StatementBalance,
        "postings": list[Posting],  # oldest first
    },
)


class Bar(TypedDict):
    serial: str
    refiner: str
    vault: str
    gross_grams: Decimal
    #: Parts of gold in 1,000.
    fineness: Decimal
    fine_grams: Decimal


class Reserves(TypedDict):
    """The bars in the vault, and the gold that is owed to all partners."""

    bars: list[Bar]
    fine_grams: Decimal
    #: Never more than fine_grams.
    owed_grams: Decimal
    #: fine_grams / owed_grams, rounded down to 4 decimals. None where nothing is owed.
    coverage: Decimal | None
    as_of: str
    #: The list of bars in force at as_of.
    reserves_list_id: str


class ReservesList(TypedDict):
    """The bars that were in the vault between two changes of the vault. A list never changes."""

    reserves_list_id: str
    created_at: str
    bars: list[Bar]
    fine_grams: Decimal
    #: The sha256 of the list before. 64 zeros for the first list.
    previous_sha256: str
    sha256: str


class Bounds(TypedDict):
    step: Decimal
    minimum: Decimal
    maximum: Decimal


class RateLimit(TypedDict):
    requests_per_second: int
    burst: int


class OpenQuotes(TypedDict):
    """Firm quotes that are not executed yet. A maximum of None means unlimited."""

    maximum_quotes: int | None
    quotes: int
    maximum_gold_grams: Decimal | None
    gold_grams: Decimal


class DailyRecords(TypedDict):
    maximum_records: int
    records: int
    resets_at: str


class NetPosition(TypedDict):
    """The daily limit on what you buy minus what you sell, and what is left of it."""

    maximum_gold_grams: Decimal
    buy_gold_grams: Decimal
    sell_gold_grams: Decimal
    resets_at: str


class DailyWithdrawals(TypedDict):
    """The withdrawals of today and their limits. A maximum of None means unlimited."""

    maximum_withdrawals: int | None
    withdrawals: int
    maximum_amount_sar: Decimal | None
    amount_sar: Decimal
    resets_at: str


class Exposure(TypedDict):
    """The sides on which the operator still makes quotes today."""

    buy: bool
    sell: bool


class Session(TypedDict):
    day: Literal["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]
    opens: str
    closes: str


class MarketHours(TypedDict):
    always_open: bool
    time_zone: Literal["Asia/Riyadh"]
    #: The opening hours of each day; empty if the market is always open.
    sessions: list[Session]
    #: When the market was closed because the price jumped. None: it was not.
    halted_at: str | None


class SmallestTrade(TypedDict):
    gold_grams: Decimal
    #: What this gold costs or brings.
    amount_sar: Decimal


class SmallestTrades(TypedDict):
    buy: SmallestTrade
    sell: SmallestTrade


class StreamLimit(TypedDict):
    #: How many streams of prices and events you can have open at once.
    maximum: int


class Limits(TypedDict):
    """The quantities that you may ask for, your request rate and quotas, and the market's hours."""

    gold_grams: Bounds
    amount_sar: Bounds
    #: At the present prices. None: there is no price.
    smallest_trade: SmallestTrades | None
    quote_ttl_seconds: int
    rate_limit: RateLimit
    #: None: unlimited.
    open_quotes: OpenQuotes | None
    #: Stored records of today that execute nothing. None: unlimited.
    daily_records: DailyRecords | None
    #: None: unlimited.
    net_position: NetPosition | None
    #: None: unlimited.
    daily_withdrawals: DailyWithdrawals | None
    #: None: unlimited.
    exposure: Exposure | None
    streams: StreamLimit
    market_hours: MarketHours


class CredentialLife(TypedDict):
    not_before: str
    #: When the credential stops being accepted. None: not planned.
    retire_at: str | None
    #: Exact to the minute. None: never used.
    last_used_at: str | None


class Certificate(CredentialLife):
    sha256: str
    expires_at: str
    revoked_at: str | None


class SigningKey(CredentialLife):
    kid: str
    thumbprint: str


class Secret(CredentialLife):
    secret_id: str


class WebhookSecret(Secret):
    #: The number of the endpoint whose webhooks the secret signs.
    endpoint: int


class ChainKey(TypedDict):
    """Computes the lines of your own hash chain."""

    #: Your number in the lines of your hash chain.
    client_number: int
    #: 32 bytes in lower-case hex.
    chain_key: str


class Credentials(TypedDict):
    """Your credentials, without their secret values."""

    certificates: list[Certificate]
    signing_keys: list[SigningKey]
    client_secrets: list[Secret]
    webhook_secrets: list[WebhookSecret]


class AccountEndpoint(TypedDict):
    #: From 1. It never becomes the number of another endpoint.
    endpoint: int
    url: str
    #: The types of events that the endpoint gets, beside webhook.test. None: all types.
    types: list[str] | None
    #: Of the events up to this number that the endpoint gets, each was delivered, is retried on its own, or is parked.
    delivered_to: int
    #: working, failing or disabled; values may be added.
    status: str
    failures: int
    #: None: events are sent.
    rests_until: str | None
    disabled_at: str | None


class AccountSettlement(TypedDict):
    iban_masked: str
    #: None: withdrawals are paid.
    payouts_held_until: str | None


class Account(TypedDict):
    """What is registered for you, and what it may do."""

    client_id: str
    name: str
    #: sandbox or production; values may be added.
    environment: str
    #: active or suspended; values may be added.
    status: str
    created_at: str
    #: The addresses from which your requests are accepted.
    ip_ranges: list[str]
    settlement: AccountSettlement
    #: At most five. Empty: your events are sent nowhere.
    webhook_endpoints: list[AccountEndpoint]
    credentials: Credentials
    limits: Limits


class RequestedSigningKey(TypedDict):
    """A public key as a JWK."""

    kty: str
    crv: str
    x: str
    y: str
    #: Your own name for the key.
    kid: NotRequired[str]


class RequestedWebhookEndpoint(TypedDict):
    """A further webhook endpoint."""

    url: str
    #: The types of events that it gets; absent: all.
    types: NotRequired[list[str]]


class AccountChange(TypedDict):
    """A change of what is registered for you. It has no effect before people of the operator decide."""

    change_id: str
    #: signing_key, certificate_request, ip_range or webhook_endpoint; values may be added. The member with
    #: this name has the content.
    kind: str
    #: requested, proposed, approved or declined; values may be added.
    status: str
    requested_at: str
    #: None: the change is open.
    decided_at: str | None
    #: Why the change was declined.
    reason: str | None
    #: PEM, as long as the certificate is active.
    certificate: str | None
    signing_key: NotRequired[RequestedSigningKey]
    certificate_request: NotRequired[str]
    ip_range: NotRequired[str]
    webhook_endpoint: NotRequired[RequestedWebhookEndpoint]


class AccountChanges(TypedDict):
    #: The newest 50, newest first.
    items: list[AccountChange]


ProbeMistake = Literal[
    "path_not_url",
    "wrong_host",
    "explicit_port",
    "upper_case_hex",
    "upper_case_host",
    "crlf",
    "trailing_newline",
    "payload_base64url",
    "der_signature",
    "milliseconds",
    "body_reserialised",
]


class ProbeStep(TypedDict):
    #: None: the service did not reach this step.
    ok: bool | None
    detail: str


class ProbeSteps(TypedDict):
    timestamp: ProbeStep
    nonce: ProbeStep
    header: ProbeStep
    key: ProbeStep
    signature: ProbeStep


class ProbeVerdict(TypedDict):
    """What is right and wrong with a signature, step by step."""

    valid: bool
    steps: ProbeSteps
    #: X-Timestamp minus the service's time.
    clock_offset_seconds: Decimal | None
    #: The text over which the service verifies the signature.
    canonical_string: str | None
    canonical_sha256: str | None
    #: The common mistake that explains the failure; docs/signing.md lists these mistakes.
    mistake: ProbeMistake | None


class ExpiringCredential(TypedDict):
    #: certificate, signing_key, client_secret or webhook_secret; values may be added.
    kind: str
    #: Its sha256, thumbprint or secret_id in Credentials.
    id: str
    expires_at: str


class Change(TypedDict):
    #: The operator's login that made the change. None: made before changes were events.
    changed_by: str | None
    #: The second login, which approved the change. None: the change takes one login.
    approved_by: str | None


class ChangedCredential(Change):
    #: certificate, signing_key, client_secret or webhook_secret; values may be added.
    kind: str
    #: Its sha256, thumbprint or secret_id in Credentials.
    id: str
    #: The signing key's registered name, if it has one.
    kid: str | None
    #: None: its registered date is unusable, so it is never accepted.
    valid_from: str | None
    #: When it stops being accepted, which can be in the future. None: no end is set.
    valid_until: str | None


class Settlement(Change):
    iban_masked: str
    #: The SHA-256 of the whole IBAN without spaces. Compare it with your own.
    iban_sha256: str


class WebhookEndpoint(Change):
    url: str
    #: The number of the endpoint. Not in events from before 0.7.0.
    endpoint: NotRequired[int]
    #: None: events are sent to this URL from now on. Not in events from before 0.7.0.
    removed_at: NotRequired[str | None]


class Epoch(TypedDict):
    """A failover or a restore of the operator's database to an earlier instant begins a new epoch."""

    number: int
    timeline: int
    began_at: str


class Day(TypedDict):
    """Everything of a day in Asia/Riyadh. Nothing can be added to the day later."""

    date: str
    #: The first and the last event of the day. None: the day has none.
    first_sequence: int | None
    last_sequence: int | None
    opening_balance: StatementBalance
    closing_balance: StatementBalance
    quotes: int
    #: How many orders were executed.
    orders: int
    #: How many refusals were bound to an Idempotency-Key.
    refusals: int
    #: The refusals of orders that you sent in time.
    broken: int
    quotes_sha256: str
    refusals_sha256: str
    epoch: Epoch
    #: How many of these quotes were executed, and how many ended without an order.
    quotes_executed: NotRequired[int]
    quotes_expired: NotRequired[int]


class Attempt(TypedDict):
    attempted_at: str
    #: None: no HTTP reply arrived.
    http_status: int | None
    duration_ms: int
    #: Why the attempt failed, such as "dns" or "timeout". None: your endpoint accepted the event.
    cause: str | None


class Delivery(TypedDict):
    """The attempts to deliver an event to your first endpoint. parked: the service gave up."""

    #: pending, delivered or parked; values may be added.
    status: str
    next_attempt_at: str | None
    attempts: list[Attempt]


class EndpointDelivery(Delivery):
    """The attempts to deliver an event to one endpoint."""

    endpoint: int


class ChainHead(TypedDict):
    #: The head of your hash chain at this event. Store it: with it you can prove your history up to this event.
    chain_head: str


class OrderData(ChainHead):
    order: Order


class WithdrawalData(ChainHead):
    withdrawal: Withdrawal


class FundingData(ChainHead):
    funding: Funding


class CredentialData(ChainHead):
    credential: ExpiringCredential


class ChangedCredentialData(ChainHead):
    credential: ChangedCredential


class SettlementData(ChainHead):
    settlement: Settlement


class WebhookEndpointData(ChainHead):
    webhook_endpoint: WebhookEndpoint


class DayData(ChainHead):
    day: Day


class EventFrame(TypedDict):
    #: The same at every attempt. A receiver recognises a repeated delivery by this id.
    id: str
    #: Numbers the partner's events without gaps. An endpoint with a filter does not get every number.
    sequence: int
    created_at: str
    #: sandbox or production. Not in events from before 0.7.0.
    environment: NotRequired[str]
    #: The version of the API, as info.version of its description. Not in events from before 0.7.0.
    api_version: NotRequired[str]
    #: Missing in the body of a webhook.
    delivery: NotRequired[Delivery]
    #: The delivery to each endpoint that gets the type. Missing in a webhook and in replies from before 0.7.0.
    deliveries: NotRequired[list[EndpointDelivery]]
    #: The event's line of the hash chain. Only list_events() and get_event() return it.
    line: NotRequired[str]
    #: The number of the event before this one among those that this endpoint gets. None: there is none, or the types
    #: of the endpoint have changed since. Only in the body of a webhook of 0.7.0 or later.
    previous_sequence: NotRequired[int | None]
    #: The client_id of the partner whose endpoint this is: yours. Only in the body of a webhook of 0.7.0 or later.
    client_id: NotRequired[str]


class OrderEvent(EventFrame):
    type: Literal["order.executed"]
    data: OrderData


class WithdrawalEvent(EventFrame):
    type: Literal[
        "withdrawal.created",
        "withdrawal.approved",
        "withdrawal.submitted",
        "withdrawal.paid",
        "withdrawal.rejected",
        "withdrawal.returned",
        "withdrawal.cancelled",
    ]
    data: WithdrawalData


class FundingEvent(EventFrame):
    type: Literal["funding.completed", "funding.reversed"]
    data: FundingData


class CredentialEvent(EventFrame):
    type: Literal["credential.expiring"]
    data: CredentialData


class ChangedCredentialEvent(EventFrame):
    type: Literal["credential.added", "credential.ended"]
    data: ChangedCredentialData


class SettlementEvent(EventFrame):
    type: Literal["settlement.changed"]
    data: SettlementData


class WebhookEndpointEvent(EventFrame):
    type: Literal["webhook_endpoint.changed"]
    data: WebhookEndpointData


class DayEvent(EventFrame):
    type: Literal["day.closed"]
    data: DayData


class TestEvent(EventFrame):
    type: Literal["webhook.test"]
    data: ChainHead


#: The `type` of an event decides which data it has. The service may add types: acknowledge and ignore them.
Event = (
    OrderEvent
    | WithdrawalEvent
    | FundingEvent
    | CredentialEvent
    | ChangedCredentialEvent
    | SettlementEvent
    | WebhookEndpointEvent
    | DayEvent
    | TestEvent
)
