"""A client of the Gold Trading Partner API for Python 3.11 or newer.

It needs only the package `cryptography`. All quantities are Decimal. Use one client per thread, because a
client holds one connection and one token.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import http.client
import json
import random
import re
import secrets
import ssl
import time
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal, NotRequired, TypedDict
from urllib.parse import urlencode, urlsplit

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

TIMEOUT_SECONDS = 30
# The longest pauses between the five attempts. If the service sends Retry-After, the client waits that long
# instead.
PAUSES_SECONDS = (0.5, 1.0, 2.0, 4.0)
PAUSE_MAX_SECONDS = 30  # if the service asks for a longer pause, the call raises GoldError
RETRY_STATUSES = {408, 429, 500, 502, 503, 504}  # used if the reply has no `retryable`
WEBHOOK_TOLERANCE_SECONDS = 300

Side = Literal["buy", "sell"]
Sar = TypedDict("Sar", {"available": Decimal, "held": Decimal})
Gold = TypedDict("Gold", {"grams": Decimal})
Balances = TypedDict("Balances", {"sar": Sar, "gold": Gold, "as_of": str})
Prices = TypedDict("Prices", {"buy_price": Decimal, "sell_price": Decimal, "as_of": str, "market": Literal["open", "closed"]})
Quote = TypedDict("Quote", {
    "quote_id": str, "side": Side, "gold_grams": Decimal, "price_per_gram_sar": Decimal, "total_sar": Decimal, "status": str})


class Order(Quote):
    order_id: str
    executed_at: str
    balances: NotRequired[Balances]  # the balances right after the order; only in the reply of `order()`


class Withdrawal(TypedDict):
    withdrawal_id: str
    amount_sar: Decimal
    reference: str | None
    iban_masked: str
    status: str
    balances: NotRequired[Balances]


class GoldError(Exception):
    """Raised if a call has no result. Handle it by `code`, which is one of these:

    - a code of docs/errors.md.
    - `no_answer`: no complete reply arrived. If `retryable` is true, the outcome is unknown. If it is false,
      the client did not trust the server's certificate and sent nothing.
    - `http_` and the status: the reply has no code, for example because a proxy answered.

    If `retryable` is true, the same call with the same idempotency key may succeed later. The service never
    executes it twice.
    """

    def __init__(self, code: str, detail: str, *, status: int | None = None, request_id: str | None = None,
                 retryable: bool = False, retry_after_seconds: int | None = None, errors: Iterable[Any] = ()) -> None:
        named = f" ({request_id})" if request_id else ""
        super().__init__(f"{code}: {detail}{named}")
        self.code, self.detail, self.status, self.request_id = code, detail, status, request_id
        self.retryable, self.retry_after_seconds, self.errors = retryable, retry_after_seconds, list(errors)


class GoldClient:
    def __init__(self, base_url: str, *, ca: str, cert: str, key: str, signing_key: str, client_id: str, client_secret: str) -> None:
        address = urlsplit(base_url)
        tls = ssl.create_default_context(cafile=ca)
        tls.load_cert_chain(cert, key)
        self._base_url = base_url.rstrip("/")
        self._connection = http.client.HTTPSConnection(address.hostname or "", address.port, context=tls, timeout=TIMEOUT_SECONDS)
        self._signing_key = serialization.load_pem_private_key(Path(signing_key).read_bytes(), password=None)
        if not isinstance(self._signing_key, ec.EllipticCurvePrivateKey) or self._signing_key.curve.name != "secp256r1":
            raise ValueError(f"{signing_key} must be an EC key on the curve P-256")
        self._client_id, self._client_secret = client_id, client_secret
        self._token: str | None = None
        self._token_renewal = 0.0  # when to fetch a new token, by time.monotonic()

    @classmethod
    def from_credentials(cls, path: str | Path) -> GoldClient:
        """Creates a client from the credentials.json that `npm start` writes for its partner."""
        members = json.loads(Path(path).read_text())
        members.pop("webhook_secret", None)
        return cls(members.pop("base_url"), **members)

    def prices(self) -> Prices:
        return self._call("GET", "/v1/prices")

    def balances(self) -> Balances:
        return self._call("GET", "/v1/balances")

    def fund(self, amount_sar: Decimal, *, idempotency_key: str) -> dict[str, Any]:
        return self._call("POST", "/sandbox/fund", {"amount_sar": amount_sar}, idempotency_key)

    def quote(self, side: Side, *, gold_grams: Decimal | None = None, amount_sar: Decimal | None = None, idempotency_key: str) -> Quote:
        quantity = {"gold_grams": gold_grams, "amount_sar": amount_sar}
        return self._call("POST", "/v1/quotes", {"side": side, **quantity}, idempotency_key)

    def order(self, quote_id: str, *, idempotency_key: str) -> Order:
        return self._call("POST", "/v1/orders", {"quote_id": quote_id}, idempotency_key, signed=True)

    def withdraw(self, amount_sar: Decimal, *, reference: str | None = None, idempotency_key: str) -> Withdrawal:
        return self._call("POST", "/v1/withdrawals", {"amount_sar": amount_sar, "reference": reference}, idempotency_key, signed=True)

    def orders(self, **filters: str) -> Iterator[Order]:
        """Returns the orders, newest first.

        The filters are `created_after`, `created_before` and `idempotency_key`.
        """
        return self._pages("/v1/orders", "cursor", filters)

    def withdrawals(self, **filters: str) -> Iterator[Withdrawal]:
        return self._pages("/v1/withdrawals", "cursor", filters)

    def events(self, after: int = 0) -> Iterator[dict[str, Any]]:
        """Returns the events after the sequence number `after`, oldest first."""
        return self._pages("/v1/events", "after", {"after": str(after)})

    def statement(self, first_day: str, last_day: str) -> dict[str, Any]:
        return self._call("GET", "/v1/statement?" + urlencode({"from": first_day, "to": last_day}))

    def probe(self) -> dict[str, Any]:
        """Asks the service to check your signature and your clock, and returns its verdict on each step."""
        return self._call("POST", "/v1/signed-probe", {}, signed=True)

    def _pages(self, path: str, cursor_name: str, filters: Mapping[str, str]) -> Iterator[Any]:
        query = dict(filters)
        while True:
            page = self._call("GET", f"{path}?{urlencode(query)}" if query else path)
            yield from page["items"]
            if page["next_cursor"] is None:
                return
            query[cursor_name] = page["next_cursor"]

    def _call(self, method: str, path: str, body: Mapping[str, Any] | None = None, key: str | None = None, *, signed: bool = False) -> Any:
        """Makes a call, and retries it if it may succeed soon.

        Each attempt has the same key and body. A signed call gets a fresh signature for each attempt.
        """
        content = None if body is None else to_json(body)
        renewed = False
        for pause_seconds in (*PAUSES_SECONDS, None):
            try:
                return self._attempt(method, path, content, key, signed)
            except GoldError as error:
                if error.code in ("token_expired", "token_invalid"):
                    # One new token is enough. If it is refused, too, the cause is not the token's age.
                    soon, renewed, self._token = not renewed, True, None
                else:
                    # A 422 that is retryable means that the market is closed. Do not wait here until it opens.
                    soon = error.retryable and error.status != 422
                wait_seconds = error.retry_after_seconds or random.uniform(0, pause_seconds or 0)
                if pause_seconds is None or not soon or wait_seconds > PAUSE_MAX_SECONDS:
                    raise
                time.sleep(wait_seconds)

    def _attempt(self, method: str, path: str, content: bytes | None, key: str | None, signed: bool) -> Any:
        headers = {"Authorization": f"Bearer {self._access_token()}", "Accept": "application/json"}
        if content is not None:
            headers["Content-Type"] = "application/json"
        if key is not None:
            headers["Idempotency-Key"] = key
        if signed:
            timestamp, nonce = str(int(time.time())), secrets.token_hex(16)
            payload = canonical_string(method, self._base_url + path, content or b"", timestamp, nonce)
            headers |= {"X-Timestamp": timestamp, "X-Nonce": nonce, "X-JWS-Signature": detached_jws(self._signing_key, payload)}
        return self._exchange(method, path, content, headers)

    def _access_token(self) -> str:
        if self._token is None or time.monotonic() >= self._token_renewal:
            form = {"grant_type": "client_credentials", "client_id": self._client_id, "client_secret": self._client_secret}
            asked_at = time.monotonic()
            reply = self._exchange("POST", "/oauth/token", urlencode(form).encode(), {"Content-Type": "application/x-www-form-urlencoded"})
            self._token = reply["access_token"]
            self._token_renewal = asked_at + 0.8 * int(reply["expires_in"])
        return self._token

    def _exchange(self, method: str, path: str, content: bytes | None, headers: dict[str, str]) -> Any:
        try:
            self._connection.request(method, path, content, headers)
            reply = self._connection.getresponse()
            body = reply.read()
        except (OSError, http.client.HTTPException) as cause:
            self._connection.close()
            wrong_server = isinstance(cause, ssl.SSLCertVerificationError)  # then no request was sent
            raise GoldError("no_answer", f"{method} {path}: {cause!r}", retryable=not wrong_server) from cause
        if 200 <= reply.status < 300:
            return parse_json(body)
        raise refusal(reply.status, reply.headers, body)


def refusal(status: int, headers: Mapping[str, str], body: bytes) -> GoldError:
    try:
        members = parse_json(body)
    except ValueError:
        members = None
    if not isinstance(members, dict):  # a proxy answered instead of the service
        members = {}
    pause = headers.get("Retry-After") or ""
    return GoldError(
        members.get("code", f"http_{status}"), members.get("detail") or members.get("error_description", ""), status=status,
        request_id=members.get("request_id"), retryable=members.get("retryable", status in RETRY_STATUSES),
        retry_after_seconds=int(pause) if pause.isdigit() else None, errors=members.get("errors", ()))


def parse_json(text: bytes) -> Any:
    return json.loads(text, parse_float=Decimal, parse_int=Decimal)


def to_json(members: Mapping[str, str | Decimal | None]) -> bytes:
    """Writes JSON by hand, because `json` cannot write a Decimal. Members that are None are left out."""
    pairs = []
    for name, value in members.items():
        if isinstance(value, Decimal) and value.is_finite():
            pairs.append(f"{json.dumps(name)}:{value:f}")
        elif isinstance(value, str):
            pairs.append(f"{json.dumps(name)}:{json.dumps(value)}")
        elif value is not None:
            raise TypeError(f'{name} must be a finite Decimal such as Decimal("1.5"), not a float; got {value!r}')
    return ("{" + ",".join(pairs) + "}").encode()


def canonical_string(method: str, url: str, body: bytes, timestamp: str, nonce: str) -> bytes:
    """Returns the five lines to sign.

    Raises ValueError unless every part is visible ASCII. A line feed in a part would shift the next lines.
    """
    parts = (method, url, hashlib.sha256(body).hexdigest(), timestamp, nonce)
    if not all(re.fullmatch("[!-~]+", part) for part in parts):
        raise ValueError("method, URL, timestamp and nonce must be visible ASCII and must not be empty")
    return "\n".join(parts).encode()


def detached_jws(key: ec.EllipticCurvePrivateKey, payload: bytes) -> str:
    header = base64url(b'{"alg":"ES256","b64":false,"crit":["b64"]}')
    der = key.sign(f"{header}.".encode() + payload, ec.ECDSA(hashes.SHA256(), deterministic_signing=True))
    r, s = decode_dss_signature(der)
    return f"{header}..{base64url(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"


def base64url(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def webhook_signature(secret: str, event_id: str, timestamp: str, body: bytes) -> str:
    encoded = secret.removeprefix("whsec_")
    key = base64.b64decode(encoded)
    if encoded == secret or base64.b64encode(key).decode() != encoded or not 24 <= len(key) <= 64:
        raise ValueError("a webhook secret must be whsec_ followed by padded base64 of 24 to 64 bytes")
    return "v1," + base64.b64encode(hmac.digest(key, f"{event_id}.{timestamp}.".encode() + body, "sha256")).decode()


def verify_webhook(body: bytes, headers: Mapping[str, str], secrets: Iterable[str], now_seconds: float | None = None) -> dict[str, Any]:
    """Returns the event if one of the secrets signed exactly these bytes.

    Raises ValueError otherwise, and if the timestamp differs by more than five minutes from this machine's
    clock.
    """
    values = {name.lower(): value for name, value in headers.items()}
    event_id, timestamp, given = (values.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature"))
    if not re.fullmatch(r"[!-+\-/-~]{1,255}", event_id) or not re.fullmatch("[1-9][0-9]{9}", timestamp):
        raise ValueError("webhook-id or webhook-timestamp is missing or malformed")
    if abs((time.time() if now_seconds is None else now_seconds) - int(timestamp)) > WEBHOOK_TOLERANCE_SECONDS:
        raise ValueError("webhook-timestamp differs by more than 300 seconds from this machine's clock")
    expected = [webhook_signature(secret, event_id, timestamp, body).encode() for secret in secrets]
    if not any(hmac.compare_digest(one, signature.encode()) for one in expected for signature in given.split(" ")):
        raise ValueError("no signature in webhook-signature matches the body and your secrets")
    return parse_json(body)
