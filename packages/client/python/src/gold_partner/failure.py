"""Decides why a try failed, and whether the client retries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any, Literal

from .error import GoldError
from .exact_json import JsonError, read_json
from .problems import BINDS_KEY, SPENDS_NONCE

Outcome = Literal["known", "unchanged", "unknown"]

TOKEN_CODES = {"token_expired", "token_invalid", "token_certificate_mismatch"}
#: The client retries after these statuses. market_closed (422) is retryable, too, but a call must not wait
#: for hours until the market opens.
TRANSIENT_STATUSES = {408, 429, 500, 502, 503, 504}
#: After these codes, an earlier copy of the request may be running or may have been executed.
DOUBTFUL_CODES = {"nonce_reused", "idempotency_request_in_progress"}
CLOCK_WINDOW_SECONDS = 300


@dataclass(frozen=True)
class Reply:
    """An HTTP reply. The names of `headers` match in any case."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    #: The transport's response if it is an open stream. The body is then empty.
    opened: Any = None


class SendError(Exception):
    """The transport got no reply. `unsent`: nothing was sent. `untrusted`: a certificate was not accepted."""

    def __init__(
        self, message: str, *, unsent: bool = False, untrusted: bool = False, timed_out: bool = False
    ) -> None:
        super().__init__(message)
        self.unsent, self.untrusted, self.timed_out = unsent, untrusted, timed_out


@dataclass(frozen=True)
class Failure:
    """Why a try failed, and what the client does next.

    `cure` is `wait` for a retry after a pause, and `token` for one retry with a new token. `outcome` is what
    the failure says about a write. `known`: the outcome is certain. `unknown`: this try may have executed the
    write. `unchanged`: the failure says nothing, so a doubt from an earlier try remains.
    """

    code: str
    detail: str
    cure: Literal["none", "wait", "token"]
    outcome: Outcome
    retry_after_seconds: float | None = None
    facts: dict[str, Any] = field(default_factory=dict)


def refusal(reply: Reply, operation: str, clock_offset_seconds: int | None) -> Failure:
    """Reads the failure from a reply whose status is not 2xx."""
    problem = _read_problem(reply.body)
    retry_after = read_retry_after(reply.headers)
    facts = {
        "status": reply.status,
        "request_id": problem.get("request_id") or reply.headers.get("X-Request-Id"),
        "replayed": reply.headers.get("Idempotent-Replayed") == "true",
        "errors": problem.get("errors", []),
        "retry_after_seconds": retry_after,
    }
    is_transient = reply.status in TRANSIENT_STATUSES
    if "code" not in problem:
        detail = (
            f"The reply was {reply.status}, but not in the service's format: a proxy or firewall may have "
            "answered instead."
        )
        cure: Literal["wait", "none"] = "wait" if is_transient else "none"
        return Failure(
            "reply_invalid", detail, cure, "unknown", retry_after, facts | {"retryable": is_transient}
        )
    code = problem["code"]
    waits = is_transient or code in DOUBTFUL_CODES
    retryable = problem.get("retryable", waits or code in TOKEN_CODES)
    detail = (
        problem.get("detail")
        or problem.get("error_description")
        or f"The service refused with {reply.status} {code}."
    )
    if code == "timestamp_out_of_window" and clock_offset_seconds:
        detail = _wrong_clock(clock_offset_seconds)
    return Failure(
        code,
        detail,
        "token" if code in TOKEN_CODES else "wait" if retryable and waits else "none",
        _outcome(code, reply.status, operation),
        retry_after,
        facts | {"retryable": retryable},
    )


def is_temporary(failure: Failure) -> bool:
    """Whether a stream waits and tries again. It waits longer than a call, and also at every 5xx."""
    status = failure.facts.get("status")
    if status is None:
        return bool(failure.facts.get("retryable", False))
    return status >= 500 or status in TRANSIENT_STATUSES


def _read_problem(body: bytes) -> dict[str, Any]:
    """Returns a problem or an error of the token endpoint, or an empty dict if the body is neither."""
    try:
        members = read_json(body)
    except JsonError:
        return {}
    if not isinstance(members, dict) or not isinstance(members.get("code"), str):
        return {}
    return members if "request_id" in members else {}


def _outcome(code: str, status: int, operation: str) -> Outcome:
    if code in DOUBTFUL_CODES:
        return "unknown"
    if code not in SPENDS_NONCE:
        return "unknown" if status >= 500 else "unchanged"
    if BINDS_KEY[code] is True or (BINDS_KEY[code] == "order_quote_id" and operation == "createOrder"):
        return "known"
    # The service spends the nonce first and then looks up the Idempotency-Key. So a refusal that spends the
    # nonce comes after the lookup. If an earlier try had stored a result, the reply would be that result.
    spends = SPENDS_NONCE[code]
    return "unknown" if spends == "unknown" else "known" if spends is True else "unchanged"


def _wrong_clock(ahead_seconds: int) -> str:
    """The client does not correct its timestamps: the other records of this machine would still be wrong."""
    where = "ahead of" if ahead_seconds > 0 else "behind"
    return (
        f"This machine's clock is {abs(ahead_seconds)} s {where} the service's, and signed requests are "
        f"accepted within {CLOCK_WINDOW_SECONDS} s. Set the clock (NTP), then repeat the call."
    )


def broken(error: SendError) -> Failure:
    """The failure of a try for which the transport got no reply."""
    if error.untrusted:
        detail = (
            f"TLS failed because a certificate was not accepted ({error}). Check that cert, key and ca "
            "belong to this environment."
        )
        return Failure("tls_failed", detail, "none", "unchanged")
    if error.unsent:
        detail = f"The service could not be reached: {error}."
    elif error.timed_out:
        return Failure(
            "timed_out", f"No reply came in time: {error}.", "wait", "unknown", facts={"retryable": True}
        )
    else:
        detail = f"The connection broke before the complete reply arrived: {error}."
    outcome: Outcome = "unchanged" if error.unsent else "unknown"
    return Failure("connection_failed", detail, "wait", outcome, facts={"retryable": True})


def unsent(error: GoldError) -> Failure:
    """The failure of a try that ended before anything was sent."""
    names = ("status", "request_id", "retryable", "errors", "retry_after_seconds")
    facts = {name: getattr(error, name) for name in names}
    return Failure(error.code, error.detail, "none", "unchanged", facts=facts)


def read_retry_after(headers: Mapping[str, str]) -> float | None:
    """Reads Retry-After, which holds seconds or an HTTP date."""
    text = (headers.get("Retry-After") or "").strip()
    if text.isascii() and text.isdigit():
        return float(text)
    # Both dates come from the service, so a wrong clock on this machine does not matter.
    then, now = read_date(text), read_date(headers.get("Date") or "")
    return None if then is None or now is None else max(0.0, then - now)


def read_date(text: str) -> float | None:
    """Returns an HTTP date in Unix seconds, or None if it is not one."""
    try:
        return parsedate_to_datetime(text).timestamp()
    except ValueError:
        return None
