"""Finds certificates and signing keys that were registered for a partner without its knowledge."""

from __future__ import annotations

import hashlib
from collections.abc import Container
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from .replies import Event
from .settings import Settings
from .signing import base64url


@dataclass(frozen=True)
class ForeignCredential:
    """A certificate or signing key that was registered for you and whose thumbprint you do not know."""

    #: certificate or signing_key.
    kind: str
    #: The certificate's SHA-256 in hexadecimal, or the key's RFC 7638 thumbprint.
    id: str
    #: The operator's login that registered it. None: before version 0.4.0.
    changed_by: str | None
    #: The number of the event that reports it.
    sequence: int
    code: Literal["foreign_credential"] = "foreign_credential"


def find_foreign_credential(event: Event, known_thumbprints: Container[str]) -> ForeignCredential | None:
    """Returns the certificate or signing key that an event reports, or None if you know it.

    Nobody can register one in your name without such an event. If you did not ask for it, call the operator at
    once. `known_thumbprints` are those of all certificates and signing keys that you have or had. A client has
    those of its own credentials in `known_thumbprints`.
    """
    if event["type"] != "credential.added":
        return None
    credential = event["data"]["credential"]
    kind = credential["kind"]
    if kind not in ("certificate", "signing_key") or credential["id"] in known_thumbprints:
        return None
    return ForeignCredential(kind, credential["id"], credential["changed_by"], event["sequence"])


def read_thumbprints(settings: Settings) -> tuple[str, ...]:
    """Returns the thumbprints of the settings' own credentials, and those that the settings add."""
    own = []
    if settings.cert is not None:
        certificate = x509.load_pem_x509_certificate(Path(settings.cert).read_bytes())
        own.append(certificate.fingerprint(hashes.SHA256()).hex())
    if settings.signing_key is not None:
        own.append(_key_thumbprint(Path(settings.signing_key).read_bytes()))
    return (*own, *settings.known_thumbprints)


def _key_thumbprint(pem: bytes) -> str:
    key = serialization.load_pem_private_key(pem, password=None)
    assert isinstance(key, ec.EllipticCurvePrivateKey), "key_signer() accepts no other key"
    point = key.public_key().public_numbers()
    x, y = (base64url(n.to_bytes(32, "big")) for n in (point.x, point.y))
    return base64url(hashlib.sha256(f'{{"crv":"P-256","kty":"EC","x":"{x}","y":"{y}"}}'.encode()).digest())
