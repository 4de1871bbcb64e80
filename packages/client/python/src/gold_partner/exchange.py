"""The logic of a call, without input and output: it is the same for GoldClient and AsyncGoldClient.

A generator yields the next step: a Send, a Pause or a GetToken. The client carries out the step, and sends
its result into the generator. At the end, the generator returns the result of the call.
"""

from __future__ import annotations

import math
import random
import time
import uuid
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar, cast
from urllib.parse import urlencode

from .error import GoldError
from .exact_json import read_json
from .failure import Failure, Reply, SendError, broken, is_temporary, read_date, refusal, unsent
from .settings import Settings, TryReport, read_settings
from .signing import canonical_request, detached_jws

T = TypeVar("T")

FIRST_PAUSE_SECONDS, PAUSE_MAX_SECONDS = 0.2, 10.0
#: A token is renewed after this fraction of its life, as the service advises.
RENEWED_AT = 0.8

#: The longest pause of a stream, whatever Retry-After says.
STREAM_PAUSE_MAX_SECONDS = 3600.0


class Pauses:
    """The pauses of a stream between two tries. They grow until `count` is 0 again."""

    def __init__(self) -> None:
        self.count = 0

    def next(self, retry_after_seconds: float | None) -> float:
        self.count += 1
        is_long = retry_after_seconds is not None and retry_after_seconds > STREAM_PAUSE_MAX_SECONDS
        return pause_seconds(self.count, STREAM_PAUSE_MAX_SECONDS if is_long else retry_after_seconds)


@dataclass(frozen=True)
class Call(Generic[T]):
    """An operation with its arguments. `target` is the path and query, as they are sent."""

    operation: str
    method: str
    target: str
    #: Returns the result. A ValueError means that the reply does not have the operation's form.
    read: Callable[[Reply], T]
    body: bytes | None = None
    idempotency_key: str | None = None
    needs_token: bool = True
    signed: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)
    #: Set if the reply is a stream. The call then has no limits of time and tries.
    pauses: Pauses | None = None


@dataclass(frozen=True)
class Send:
    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes | None
    timeout_seconds: float
    streams: bool = False


@dataclass(frozen=True)
class Pause:
    seconds: float


@dataclass(frozen=True)
class GetToken:
    """The client runs `token()` with this step, in one thread or task at a time, and sends the token back."""

    end: float


Step = Send | Pause | GetToken
Steps = Generator[Step, Any, T]


class Exchange:
    """Makes calls. Retries each until it succeeds, cannot be retried, or reaches a limit."""

    def __init__(self, settings: Settings) -> None:
        self._settings, self._sign = read_settings(settings)
        self._base_url = settings.base_url.rstrip("/")
        self._token: str | None = None
        self._token_renewal = 0.0  # by time.monotonic()
        self.clock_offset_seconds: int | None = None

    def run(self, call: Call[T]) -> Steps[T]:
        """Returns the value that the call reads from its reply."""
        return (yield from self._run(call, self._patience_end() if call.pauses is None else math.inf))

    def token(self, step: GetToken) -> Steps[str]:
        """Returns the current token. Fetches one unless another thread or task has done so meanwhile."""
        if not self._has_token():
            form = {
                "grant_type": "client_credentials",
                "client_id": self._settings.client_id,
                "client_secret": self._settings.client_secret,
            }
            asked_at = time.monotonic()
            token, lives_seconds = yield from self._run(
                Call(
                    "issueToken",
                    "POST",
                    "/oauth/token",
                    _read_grant,
                    body=urlencode(form).encode(),
                    needs_token=False,
                    headers={"Content-Type": "application/x-www-form-urlencoded"},
                ),
                step.end,
            )
            self._token, self._token_renewal = token, asked_at + RENEWED_AT * lives_seconds
        return cast(str, self._token)

    def _patience_end(self) -> float:
        return time.monotonic() + self._settings.patience_seconds

    def _has_token(self) -> bool:
        return self._token is not None and time.monotonic() < self._token_renewal

    def _run(self, call: Call[T], end: float) -> Steps[T]:
        reply = yield from self._send(call, end)
        try:
            return call.read(reply)
        except ValueError as cause:
            is_write = call.idempotency_key is not None
            raise GoldError(
                "reply_invalid",
                f"The reply to {call.operation} does not have the documented form: {cause}.",
                status=reply.status,
                request_id=reply.headers.get("X-Request-Id"),
                retryable=is_write,
                outcome_unknown=is_write,
                idempotency_key=call.idempotency_key,
            ) from cause

    def _send(self, call: Call[T], end: float) -> Steps[Reply]:
        """Returns a reply whose status is 2xx.

        All tries have the same Idempotency-Key. Each try has its own timestamp, nonce and signature.
        """
        in_doubt = has_new_token = False
        tries = 0
        while True:
            tries += 1
            start = time.monotonic()
            outcome = yield from self._try(call, end)
            if isinstance(outcome, Reply):
                self._report(call, tries, start, outcome, None)
                return outcome
            failure = outcome
            in_doubt = failure.outcome == "unknown" or (failure.outcome == "unchanged" and in_doubt)
            renews = failure.cure == "token" and not has_new_token
            if call.pauses is None:
                retries = failure.cure == "wait" and tries < self._settings.tries_max
            else:
                retries = is_temporary(failure)
            seconds = 0.0
            if not renews:
                # A failed token request has its Retry-After among the facts.
                retry_after = failure.facts.get("retry_after_seconds")
                seconds = call.pauses.next(retry_after) if call.pauses else pause_seconds(tries, retry_after)
            goes_on = (renews or retries) and time.monotonic() + seconds < end
            self._report(call, tries, start, failure, seconds if goes_on else None)
            if not goes_on:
                raise _error(failure, tries, call.idempotency_key, in_doubt)
            has_new_token = renews or (has_new_token and call.pauses is None)
            yield Pause(seconds)

    def _try(self, call: Call[T], end: float) -> Generator[Step, Any, Reply | Failure]:
        token: str | None = None
        try:
            if call.needs_token:
                token = self._token if self._has_token() else (yield GetToken(min(end, self._patience_end())))
            headers = self._headers(call, token)
            left_seconds = end - time.monotonic()
            if left_seconds <= 0:
                raise GoldError(
                    "timed_out", "The call reached patience_seconds before it was sent.", retryable=True
                )
        except GoldError as error:
            return unsent(error)
        timeout_seconds = min(self._settings.timeout_seconds, left_seconds)
        url, streams = self._base_url + call.target, call.pauses is not None
        try:
            reply: Reply = yield Send(call.method, url, headers, call.body, timeout_seconds, streams)
        except SendError as error:
            return broken(error)
        self._measure_clock(reply)
        if 200 <= reply.status < 300:
            return reply
        failure = refusal(reply, call.operation, self.clock_offset_seconds)
        if failure.cure == "token" and self._token == token:
            self._token = None
        return failure

    def _headers(self, call: Call[T], token: str | None) -> dict[str, str]:
        headers = {"Accept": "application/json"}
        if call.method == "POST":
            headers["Content-Type"] = "application/json"
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        if call.idempotency_key is not None:
            headers["Idempotency-Key"] = call.idempotency_key
        if call.signed:
            headers |= self._signature(call)
        return headers | dict(call.headers)

    def _signature(self, call: Call[T]) -> dict[str, str]:
        if self._sign is None:
            detail = "This call must be signed: pass signing_key or sign when you open the client."
            raise GoldError("configuration_invalid", detail)
        timestamp, nonce = str(int(self._settings.now())), uuid.uuid4().hex
        payload = canonical_request(
            call.method, self._base_url + call.target, call.body or b"", timestamp, nonce
        )
        try:
            jws = detached_jws(self._sign, payload, self._settings.kid)
        except Exception as cause:  # any error of an HSM's driver
            raise GoldError("signing_failed", f"The request could not be signed: {cause}.") from cause
        return {"X-Timestamp": timestamp, "X-Nonce": nonce, "X-JWS-Signature": jws}

    def _measure_clock(self, reply: Reply) -> None:
        date = read_date(reply.headers.get("Date") or "")
        if date is not None:
            # Date has no fractions of a second, so the service's time is on average 0.5 s later.
            self.clock_offset_seconds = round(self._settings.now() - date - 0.5)

    def _report(
        self,
        call: Call[T],
        tries: int,
        start: float,
        outcome: Reply | Failure,
        retry_in_seconds: float | None,
    ) -> None:
        if self._settings.observe is None:
            return
        status: int | None
        if isinstance(outcome, Reply):
            status, code, request_id = outcome.status, None, outcome.headers.get("X-Request-Id")
        else:
            status, code, request_id = (
                outcome.facts.get("status"),
                outcome.code,
                outcome.facts.get("request_id"),
            )
        seconds = time.monotonic() - start
        report = TryReport(call.operation, tries, seconds, status, code, request_id, retry_in_seconds)
        try:
            self._settings.observe(report)
        except Exception:  # an error of the observer must not replace the call's result
            pass


def _read_grant(reply: Reply) -> tuple[str, int]:
    grant = read_json(reply.body)
    if not isinstance(grant, dict):
        raise ValueError("it is not a JSON object")
    token, lives_seconds = grant.get("access_token"), grant.get("expires_in")
    if not isinstance(token, str) or not isinstance(lives_seconds, int):
        raise ValueError("it has no valid access_token or expires_in")
    return token, lives_seconds


def pause_seconds(tries: int, retry_after_seconds: float | None) -> float:
    """Returns Retry-After and up to 0.2 s more.

    Without Retry-After it is a random time below a limit that doubles from 0.2 s to 10 s. The random part
    keeps clients from coming back at the same moment.
    """
    if retry_after_seconds is not None:
        return retry_after_seconds + random.uniform(0, FIRST_PAUSE_SECONDS)
    doublings = min(tries - 1, 10)  # A stream may try so often that the power would overflow.
    return random.uniform(0, min(PAUSE_MAX_SECONDS, FIRST_PAUSE_SECONDS * 2.0**doublings))


def _error(failure: Failure, tries: int, idempotency_key: str | None, in_doubt: bool) -> GoldError:
    tried = f" (Tried {tries} times.)" if tries > 1 else ""
    after = failure.retry_after_seconds
    later = "" if after is None else f" Call again in {after:g} s."
    return GoldError(
        failure.code,
        failure.detail + tried + later,
        idempotency_key=idempotency_key,
        outcome_unknown=in_doubt and idempotency_key is not None,
        **failure.facts,
    )
