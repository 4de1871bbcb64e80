"""Tests of find_foreign_credential()."""

from __future__ import annotations

import json
import tempfile
import unittest
from pathlib import Path
from typing import Any, cast

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from gold_partner import ForeignCredential, GoldError, Settings, find_foreign_credential
from gold_partner.foreign_credential import read_thumbprints
from gold_partner.replies import Event


def event(kind: str, type_: str = "credential.added") -> Event:
    credential = {"kind": kind, "id": "thumb", "changed_by": "sara", "approved_by": None}
    made: dict[str, Any] = {"type": type_, "id": "evt_1", "sequence": 4, "data": {"credential": credential}}
    return cast(Event, made)


class FindForeignCredential(unittest.TestCase):
    def test_returns_a_certificate_or_signing_key_that_is_not_known(self) -> None:
        found = find_foreign_credential(event("signing_key"), ["other"])
        assert found is not None
        self.assertEqual(found, ForeignCredential("signing_key", "thumb", "sara", 4))
        self.assertEqual(found.code, "foreign_credential")
        self.assertIsNotNone(find_foreign_credential(event("certificate"), []))

    def test_returns_none_for_a_known_thumbprint_a_secret_or_another_event(self) -> None:
        self.assertIsNone(find_foreign_credential(event("signing_key"), {"thumb"}))
        self.assertIsNone(find_foreign_credential(event("client_secret"), []))
        self.assertIsNone(find_foreign_credential(event("signing_key", "credential.ended"), []))

    def test_knows_the_clients_own_signing_key_and_the_thumbprints_of_the_settings(self) -> None:
        # The example key of RFC 6979, A.2.5. The service's API description states its thumbprint.
        secret = 0xC9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721
        pem = ec.derive_private_key(secret, ec.SECP256R1()).private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "signing.key")
            path.write_bytes(pem)
            settings = Settings(
                base_url="https://localhost:8443",
                client_id="sbx_1",
                client_secret="s",
                signing_key=str(path),
                known_thumbprints=("retired",),
            )
            known = read_thumbprints(settings)
            members = {"base_url": "https://localhost:8443", "client_id": "sbx_1", "client_secret": "s"}
            file = Path(folder, "credentials.json")
            file.write_text(json.dumps(members | {"cert": "c", "key": "k", "known_thumbprints": ["retired"]}))
            self.assertEqual(Settings.from_credentials(file).known_thumbprints, ("retired",))
            file.write_text(json.dumps(members | {"cert": "c", "key": "k", "known_thumbprints": "retired"}))
            self.assertRaises(GoldError, Settings.from_credentials, file)
        self.assertEqual(known, ("DOvxvJiAdIqVWIkFt5hDtCunXLF0BV4-JGv4f-ALSm0", "retired"))
