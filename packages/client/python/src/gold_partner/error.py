"""The only error that the calls of a client raise."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(eq=False)
class GoldError(Exception):
    """Raised if a call fails. Decide by `code`.

    `code` is a code of the error catalogue (docs/errors.md), or one of the client's own codes:

    - `configuration_invalid`: settings or credentials that cannot be used; nothing was sent.
    - `argument_invalid`: an argument is invalid, or the client is closed; nothing was sent.
    - `signing_failed`: the key or the `sign` function failed; nothing was sent.
    - `connection_failed`: the service was not reached, or the connection broke before the whole reply
      arrived.
    - `tls_failed`: one side does not accept the other's certificate.
    - `timed_out`: no reply in time.
    - `reply_invalid`: the reply does not have the form of the service's replies.
    """

    code: str
    detail: str
    status: int | None = None
    request_id: str | None = None
    #: True if the same call with the same Idempotency-Key may succeed later.
    retryable: bool = False
    #: The members, parameters or headers that the service refused.
    errors: list[dict[str, Any]] = field(default_factory=list)
    #: True if the service repeated a reply that it had given to this Idempotency-Key before.
    replayed: bool = False
    retry_after_seconds: float | None = None
    #: The Idempotency-Key of a write. A write that is repeated with this key is executed at most once.
    idempotency_key: str | None = None
    #: True if the write may have been executed. Repeat it with `idempotency_key` to get its one result.
    outcome_unknown: bool = False

    def __str__(self) -> str:
        request = f" ({self.request_id})" if self.request_id else ""
        doubt = (
            " It is not known whether the write was executed; repeat it with the same idempotency_key, "
            f"{self.idempotency_key}, to get its result."
            if self.outcome_unknown
            else ""
        )
        return f"{self.code}: {self.detail}{request}{doubt}"
