"""The settings of a client, and the credentials that it reads from a file or from the environment."""

from __future__ import annotations

import json
import os
import ssl
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

from .error import GoldError
from .signing import KID_CHARACTERS_MAX, VISIBLE_ASCII, Sign, key_signer

TIMEOUT_SECONDS, PATIENCE_SECONDS, TRIES_MAX = 20.0, 60.0, 8
FILE_VARIABLE = "GOLD_CREDENTIALS"
#: The members of a credentials.json that are texts and files. The variable of base_url is GOLD_BASE_URL.
TEXTS = ("base_url", "client_id", "client_secret")
FILES = ("cert", "key", "ca", "signing_key")
OPTIONAL = ("ca", "signing_key")


@dataclass(frozen=True)
class TryReport:
    """The result of one try of a call, for logs and metrics. It never has a secret, a token or a body."""

    operation: str
    #: 1 at the first try.
    tries: int
    seconds: float
    status: int | None
    #: None if the try succeeded.
    code: str | None
    request_id: str | None
    #: None if there is no next try.
    retry_in_seconds: float | None


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The service's URL, the partner's credentials, and the limits on time and tries.

    `base_url` is the service's URL without a path, such as https://localhost:8443. Signatures cover it.
    `cert`, `key`, `ca` and `signing_key` are paths of PEM files. Without `ca`, the system's CAs are trusted.
    """

    base_url: str
    client_id: str
    client_secret: str
    cert: str | None = None
    key: str | None = None
    ca: str | None = None
    signing_key: str | None = None
    #: Signs in place of signing_key, for an HSM: returns the ES256 signature of the bytes, the 64 bytes r, s.
    sign: Sign | None = None
    #: The id of the signing key, for the header of each signature. None is always correct.
    kid: str | None = None
    #: Thumbprints of your other certificates and signing keys. The client's known_thumbprints include them.
    known_thumbprints: tuple[str, ...] = ()
    #: The limit for connecting, for sending, and for each wait for data of the reply.
    timeout_seconds: float = TIMEOUT_SECONDS
    #: The limit for a call with all its tries and pauses.
    patience_seconds: float = PATIENCE_SECONDS
    tries_max: int = TRIES_MAX
    #: Called after every try.
    observe: Callable[[TryReport], None] | None = None
    #: This machine's time in Unix seconds; for tests.
    now: Callable[[], float] = time.time

    def __repr__(self) -> str:
        """Leaves out the secret, so that no log shows it."""
        return f"Settings({self.base_url}, {self.client_id})"

    @classmethod
    def from_credentials(cls, path: str | os.PathLike[str]) -> Self:
        """Returns the settings in a credentials.json. Paths in it start at the file's folder."""
        return cls(**_complete(_read_file(path), lambda name: f"{name} in {os.fspath(path)}"))

    @classmethod
    def from_env(cls, env: Mapping[str, str] = os.environ) -> Self:
        """Returns the settings that environment variables name.

        GOLD_CREDENTIALS is the path of a credentials.json. A variable such as GOLD_BASE_URL overrides the file's
        member.
        """
        members = _read_file(env[FILE_VARIABLE]) if env.get(FILE_VARIABLE) else {}
        members |= {name: env[_variable(name)] for name in TEXTS + FILES if env.get(_variable(name))}
        return cls(
            **_complete(members, lambda name: f"{_variable(name)} (or {name} in the file of {FILE_VARIABLE})")
        )


def read_settings(settings: Settings) -> tuple[Settings, Sign | None]:
    """Returns the settings and the signer that they describe.

    Raises one GoldError that lists all mistakes.
    """
    mistakes = [
        *(f"{name} is missing." for name in TEXTS[1:] if not getattr(settings, name)),
        *(
            f"{name} must be above 0; got {getattr(settings, name)}."
            for name in ("timeout_seconds", "patience_seconds", "tries_max")
            if not getattr(settings, name) > 0
        ),
    ]
    url = urlsplit(settings.base_url or "")
    if url.scheme != "https" or settings.base_url not in (f"https://{url.netloc}", f"https://{url.netloc}/"):
        mistakes.append(
            "base_url must be https:// and a host without a path, such as https://localhost:8443."
        )
    if settings.kid is not None and not (
        len(settings.kid) <= KID_CHARACTERS_MAX and VISIBLE_ASCII.fullmatch(settings.kid)
    ):
        mistakes.append(f"kid must be 1 to {KID_CHARACTERS_MAX} visible ASCII characters.")
    sign = settings.sign
    if settings.signing_key is not None and sign is not None:
        mistakes.append("Pass either signing_key or sign, not both.")
    elif settings.signing_key is not None:
        try:
            sign = key_signer(Path(settings.signing_key).read_bytes())
        except (OSError, ValueError) as cause:
            mistakes.append(f"signing_key cannot be used: {cause}.")
    if mistakes:
        raise GoldError("configuration_invalid", f"The client cannot be opened. {' '.join(mistakes)}")
    return settings, sign


def tls_context(settings: Settings) -> ssl.SSLContext:
    """Returns the context of mutual TLS. It verifies the server's certificate and its host name."""
    if not settings.cert or not settings.key:
        raise GoldError("configuration_invalid", "The client cannot be opened. cert and key are missing.")
    try:
        context = ssl.create_default_context(cafile=settings.ca)
        context.load_cert_chain(settings.cert, settings.key)
    except OSError as cause:  # ssl.SSLError, too
        detail = f"The client cannot be opened. TLS rejects cert, key or ca: {cause}."
        raise GoldError("configuration_invalid", detail) from cause
    return context


def _variable(name: str) -> str:
    return f"GOLD_{name.upper()}"


def _read_file(path: str | os.PathLike[str]) -> dict[str, Any]:
    try:
        members = json.loads(Path(path).read_text("utf-8"))
    except OSError as cause:
        detail = f"{os.fspath(path)} cannot be read as credentials.json: {cause}."
        raise GoldError("configuration_invalid", detail) from cause
    except ValueError:
        # The error of the parser can quote a part of the file, which contains the secret.
        detail = f"{os.fspath(path)} cannot be read as credentials.json: it is not JSON."
        raise GoldError("configuration_invalid", detail) from None
    if not isinstance(members, dict):
        raise GoldError("configuration_invalid", f"{os.fspath(path)} is not a JSON object.")
    folder = Path(path).parent
    return members | {
        name: str(folder / members[name]) for name in FILES if isinstance(members.get(name), str)
    }


def _complete(members: Mapping[str, Any], name_of: Callable[[str], str]) -> dict[str, Any]:
    wanted = {name: members.get(name) for name in TEXTS + FILES if name in members or name not in OPTIONAL}
    mistakes = [name_of(name) for name, value in wanted.items() if not isinstance(value, str) or not value]
    if mistakes:
        listed = ", ".join(mistakes)
        detail = f"The client's credentials are incomplete. These must be texts that are not empty: {listed}."
        raise GoldError("configuration_invalid", detail)
    known = members.get("known_thumbprints", [])
    if not isinstance(known, list) or not all(isinstance(text, str) for text in known):
        raise GoldError("configuration_invalid", "known_thumbprints must be a list of texts.")
    return wanted | {"known_thumbprints": tuple(known)}
