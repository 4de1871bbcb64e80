"""Signs a request: a detached JWS over the canonical request, ES256 with b64=false."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

#: Returns the ES256 signature of the bytes as the 64 bytes r and s.
Sign = Callable[[bytes], bytes]
VISIBLE_ASCII = re.compile("[!-~]+")
KID_CHARACTERS_MAX = 128


def canonical_request(method: str, url: str, body: bytes, timestamp: str, nonce: str) -> bytes:
    """Returns the five lines to sign.

    Raises ValueError unless every part is visible ASCII. A line feed in a part would shift the next lines.
    """
    parts = (method, url, hashlib.sha256(body).hexdigest(), timestamp, nonce)
    if not all(VISIBLE_ASCII.fullmatch(part) for part in parts):
        raise ValueError("method, URL, timestamp and nonce must be visible ASCII and must not be empty")
    return "\n".join(parts).encode()


def detached_jws(sign: Sign, payload: bytes, kid: str | None = None) -> str:
    """Returns X-JWS-Signature for the payload."""
    members = {"alg": "ES256", "b64": False, "crit": ["b64"]} | ({} if kid is None else {"kid": kid})
    header = base64url(json.dumps(members, separators=(",", ":")).encode())
    signature = sign(f"{header}.".encode() + payload)
    if len(signature) != 64:
        raise ValueError(
            f"a signature must have the 64 bytes of r and s, not DER; got {len(signature)} bytes"
        )
    return f"{header}..{base64url(signature)}"


def key_signer(pem: bytes) -> Sign:
    """Returns a function that signs with an EC key on P-256. Raises ValueError for any other key."""
    try:
        key = serialization.load_pem_private_key(pem, password=None)
    except TypeError as cause:  # the key is encrypted
        raise ValueError("it must be a PEM key without a password") from cause
    if not isinstance(key, ec.EllipticCurvePrivateKey) or key.curve.name != "secp256r1":
        raise ValueError("it must be an EC key on the curve P-256")

    def sign(data: bytes) -> bytes:
        r, s = decode_dss_signature(key.sign(data, ec.ECDSA(hashes.SHA256(), deterministic_signing=True)))
        return r.to_bytes(32, "big") + s.to_bytes(32, "big")

    return sign


def base64url(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()
