"""Verifies the webhooks of the service: Standard Webhooks, version v1."""

from __future__ import annotations

import base64
import binascii
import hmac
import re
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import cast

from .exact_json import JsonError, read_json
from .replies import Event, TestEvent

TOLERANCE_SECONDS = 300
BODY_MAX_BYTES = 64 * 1024
FORMS = {
    # A full stop separates the signed parts, and a comma joins the values of a repeated header.
    "webhook-id": (r"[!-+\-/-~]{1,255}", "1 to 255 visible ASCII characters without comma and full stop"),
    "webhook-timestamp": (r"[1-9][0-9]{9}", "Unix time in seconds, ten digits"),
    "webhook-signature": (r"(?s:.{1,4096})", "at most 4,096 characters long"),
}


class WebhookVerificationError(Exception):
    """The only error of verify_webhook(). Decide by `code`.

    `signature_mismatch`, `client_mismatch`, `signature_version_unknown`, `timestamp_too_old`,
    `timestamp_too_new`, `header_missing`, `header_invalid`, `body_too_long` and `event_invalid`: refuse the
    delivery with 400.
    `secret_invalid` and `argument_invalid`: a mistake in your program.
    """

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(f"{code}: {detail}")
        self.code, self.detail = code, detail


@dataclass(frozen=True)
class VerifiedWebhook:
    #: The event's id. If you have it already, acknowledge the delivery and do nothing.
    id: str
    #: When this attempt was signed, in Unix seconds.
    timestamp: int
    event: Event


def verify_webhook(
    body: bytes,
    headers: Mapping[str, str],
    secrets: str | Iterable[str],
    *,
    client_id: str | None = None,
    now_seconds: float | None = None,
) -> VerifiedWebhook:
    """Verifies a webhook and reads its event. Accepts a delivery that one of the secrets signed.

    `body` are the bytes as they were received, before any parser. Names of `headers` match in any case. While
    a new secret, `whsec_…`, replaces an old one, give both. `client_id` is yours: an event that was sent to
    another partner's endpoint is refused. An event of a service before 0.7.0 names none, and is accepted.
    `now_seconds` is the clock, for tests.
    """
    webhook_id, timestamp = verify_signature(body, headers, secrets, now_seconds=now_seconds)
    try:
        event = read_json(body)
    except JsonError as cause:
        raise _event_invalid("the body is not JSON in UTF-8") from cause
    required = TestEvent.__required_keys__
    if not isinstance(event, dict) or not required <= event.keys() or not isinstance(event["data"], dict):
        raise _event_invalid("the body is not an event")
    if event["id"] != webhook_id:
        raise _event_invalid("the id in the body differs from the webhook-id")
    if client_id is not None and event.get("client_id", client_id) != client_id:
        detail = "The event was sent to another partner's endpoint, or client_id is wrong; call the operator."
        raise WebhookVerificationError("client_mismatch", detail)
    return VerifiedWebhook(webhook_id, timestamp, cast(Event, event))


def verify_signature(
    body: bytes, headers: Mapping[str, str], secrets: str | Iterable[str], *, now_seconds: float | None = None
) -> tuple[str, int]:
    """Returns webhook-id and webhook-timestamp if one of the secrets signed exactly these bytes."""
    texts = [secrets] if isinstance(secrets, str) else list(secrets)
    if not isinstance(body, bytes | bytearray | memoryview) or not texts:
        detail = (
            "Pass the body as bytes, before any parser, and at least one secret, whsec_…, of the operator."
        )
        raise WebhookVerificationError("argument_invalid", detail)
    keys = [_secret_key(text) for text in texts]
    # Checked before any computation over the body, because the sender is not known yet.
    if len(body) > BODY_MAX_BYTES:
        detail = f"The body is longer than {BODY_MAX_BYTES} bytes, so it is not a delivery of this service."
        raise WebhookVerificationError("body_too_long", detail)
    webhook_id, timestamp, signatures = _read_headers(headers)
    age_seconds = (time.time() if now_seconds is None else now_seconds) - int(timestamp)
    if abs(age_seconds) > TOLERANCE_SECONDS:
        code = "timestamp_too_old" if age_seconds > 0 else "timestamp_too_new"
        detail = f"webhook-timestamp is {abs(age_seconds):.0f} s from this clock: a replay, or a wrong clock."
        raise WebhookVerificationError(code, detail)
    offered = [one.encode() for one in signatures.split(" ") if one.startswith("v1,")]
    if not offered:
        detail = "webhook-signature contains no v1 signature, the only version that this package supports."
        raise WebhookVerificationError("signature_version_unknown", detail)
    expected = [_signature(key, webhook_id, timestamp, body).encode() for key in keys]
    # any() of a list, so that every pair is compared in constant time.
    if not any([hmac.compare_digest(one, other) for one in expected for other in offered]):
        detail = "No signature matches these bytes and secrets: pass the raw body and every active secret."
        raise WebhookVerificationError("signature_mismatch", detail)
    return webhook_id, int(timestamp)


def sign_webhook(secret: str, webhook_id: str, timestamp: str, body: bytes) -> str:
    """Returns the webhook-signature of a delivery, for tests of your receiver."""
    return _signature(_secret_key(secret), webhook_id, timestamp, body)


def _signature(key: bytes, webhook_id: str, timestamp: str, body: bytes) -> str:
    mac = hmac.digest(key, f"{webhook_id}.{timestamp}.".encode() + body, "sha256")
    return f"v1,{base64.b64encode(mac).decode()}"


def _secret_key(text: str) -> bytes:
    """Returns the key of `whsec_` and padded base64 of 24 to 64 bytes. The error does not show the text."""
    encoded = text.removeprefix("whsec_")
    try:
        key = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if encoded == text or base64.b64encode(key).decode() != encoded or not 24 <= len(key) <= 64:
        detail = "A webhook secret must be whsec_ and padded base64 of 24 to 64 bytes; copy it again."
        raise WebhookVerificationError("secret_invalid", detail)
    return key


def _read_headers(headers: Mapping[str, str]) -> list[str]:
    given = {name.lower(): value for name, value in headers.items()}
    for name, (form, says) in FORMS.items():
        if not given.get(name):
            raise WebhookVerificationError("header_missing", f"The header {name} is missing.")
        if not re.fullmatch(form, given[name]):
            raise WebhookVerificationError("header_invalid", f"{name} must be {says}.")
    return [given[name] for name in FORMS]


def _event_invalid(what: str) -> WebhookVerificationError:
    return WebhookVerificationError(
        "event_invalid", f"The signature is correct, but {what}; update the package."
    )
