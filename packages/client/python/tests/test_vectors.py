"""Compares the package with the language-neutral test vectors."""

from __future__ import annotations

import hashlib
import json
import unittest
from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from gold_partner import WebhookVerificationError
from gold_partner.exact_json import format_decimal, parse_quantity, read_json, write_json
from gold_partner.signing import canonical_request, detached_jws, key_signer
from gold_partner.webhook import sign_webhook, verify_signature, verify_webhook

VECTORS = Path(__file__).resolve().parents[4] / "vectors"
X_OF_RFC_6979 = 0xC9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721
DECIMALS = {"sar": 2, "grams": 4, "price": 4}


class Vectors(unittest.TestCase):
    def each(
        self, file: str, at_least: int, applies: Callable[[dict[str, Any]], bool]
    ) -> list[dict[str, Any]]:
        """Returns the cases of a file that concern a client."""
        cases = [
            case for case in json.loads((VECTORS / f"{file}.json").read_text())["cases"] if applies(case)
        ]
        self.assertGreaterEqual(len(cases), at_least)
        return cases

    def test_canonical_requests(self) -> None:
        """The client computes the hash of the body itself, so it has no case for a wrong hash."""
        for case in self.each(
            "canonical_request", 46, lambda case: case.get("reason") != "invalid_body_hash"
        ):
            with self.subTest(case["name"]):
                parts = (case["method"], case["url"], bytes_of(case), case["timestamp"], case["nonce"])
                if "reason" in case:
                    self.assertRaises(ValueError, canonical_request, *parts)
                else:
                    self.assertEqual(canonical_request(*parts).decode(), case["canonical"])

    def test_signatures(self) -> None:
        """The client makes one form of the header, and r and s of RFC 6979. It verifies no signature."""
        header = "eyJhbGciOiJFUzI1NiIsImI2NCI6ZmFsc2UsImNyaXQiOlsiYjY0Il19.."

        def is_own(case: dict[str, Any]) -> bool:
            return case["valid"] and case["jws"].startswith(header) and "complementary" not in case["name"]

        key = ec.derive_private_key(X_OF_RFC_6979, ec.SECP256R1())
        sign = key_signer(pem_of(key))
        for case in self.each("detached_jws", 5, is_own):
            with self.subTest(case["name"]):
                self.assertEqual(detached_jws(sign, bytes.fromhex(case["payload_hex"])), case["jws"])

    def test_quantities(self) -> None:
        """Only the service rounds."""
        for case in self.each("money", 60, lambda case: case["operation"] in ("parse", "format")):
            with self.subTest(case["name"]):
                if "reason" in case:
                    self.assertRaises(ValueError, parse_quantity, case["json"], DECIMALS[case["quantity"]])
                    continue
                value = Decimal(f"{case['units']}e-{DECIMALS[case['quantity']]}")
                if case["operation"] == "format":
                    self.assertEqual(format_decimal(value), case["text"])
                    continue
                self.assertEqual(parse_quantity(case["json"], DECIMALS[case["quantity"]]), value)
                self.assertEqual(read_json(f'{{"total_sar":{case["json"]}}}'.encode()), {"total_sar": value})
                if case["quantity"] == "grams":
                    body = write_json({}, {"gold_grams": case["json"]})
                    self.assertEqual(body.decode(), f'{{"gold_grams":{format_decimal(value)}}}')

    def test_webhooks(self) -> None:
        for case in self.each("webhook", 47, lambda case: True):
            with self.subTest(case["name"]):
                if "secret" in case:
                    self.refuses(case["reason"], sign_webhook, case["secret"], "evt_1", "1700000000", b"{}")
                elif "headers" not in case:
                    message = (case["id"], str(case["timestamp"]), bytes_of(case))
                    signed = [sign_webhook(secret, *message) for secret in case["secrets"]]
                    self.assertEqual(" ".join(signed), case["signature"])
                else:
                    arguments = (bytes_of(case), case["headers"], case["secrets"])
                    options = {"now_seconds": case["now_seconds"]}
                    verify: Callable[..., object] = verify_signature
                    if "client_id" in case:  # Only these bodies are events.
                        options["client_id"] = case["client_id"]
                        verify = verify_webhook
                    if case["valid"]:
                        verify(*arguments, **options)
                    else:
                        self.refuses(case["reason"], verify, *arguments, **options)

    def test_hash_chain(self) -> None:
        """An independent model: it follows docs/chain.md and shares no code with the service."""
        head = bytes(32)
        for case in self.each("chain", 8, lambda case: True):
            with self.subTest(case["name"]):
                if "day" in case:
                    self.assertEqual(day_hash(case["day"]), case["members"].split("|")[-1])
                if "webhook_endpoint" in case:
                    self.assertEqual(endpoint_hash(case["webhook_endpoint"]), case["members"].split("|")[-1])
                self.assertEqual(chain_line(case), case["line"])
                self.assertEqual(head.hex(), case["previous_chain_head"])
                head = hashlib.sha256(head + case["line"].encode()).digest()
                self.assertEqual(head.hex(), case["chain_head"])

    def refuses(self, reason: str, act: Callable[..., object], *arguments: object, **named: object) -> None:
        with self.assertRaises(WebhookVerificationError) as refused:
            act(*arguments, **named)
        self.assertEqual(refused.exception.code, reason)


def chain_line(case: dict[str, Any]) -> str:
    if case["version"] == 1:
        return "1|" + str(case["members"])
    answer = answer_of(case["answer"]).hex() if "answer" in case else ""
    key = bytes.fromhex(case["chain_key"]) + int(case["sequence"]).to_bytes(8, "big")
    return "|".join(("2", case["members"], answer, hashlib.sha256(key).digest()[:16].hex()))


def endpoint_hash(changed: dict[str, Any]) -> str:
    number = None if changed["endpoint"] == 1 else str(changed["endpoint"])
    end = None if changed["removed_at"] is None else unix_ms(changed["removed_at"])
    by = [changed["changed_by"], changed["approved_by"]]
    members = [None, None, number, None, end, None, changed["url"], *by]
    return hashlib.sha256(json.dumps(members).encode()).hexdigest()


def unix_ms(instant: str) -> int:
    return round(datetime.fromisoformat(instant.replace("Z", "+00:00")).timestamp() * 1000)


def day_hash(day: dict[str, Any]) -> str:
    def lines_hash(lines: list[str]) -> str:
        return hashlib.sha256(b"".join(hashlib.sha256(line.encode()).digest() for line in lines)).hexdigest()

    def units(balance: dict[str, float]) -> list[int]:
        scales = {"available_sar": 100, "held_sar": 100, "gold_grams": 10_000}
        return [round(balance[name] * scale) for name, scale in scales.items()]

    epoch = day["epoch"]
    members = [
        *(day[name] for name in ("date", "first_sequence", "last_sequence")),
        *units(day["opening_balance"]),
        *units(day["closing_balance"]),
        *(day[name] for name in ("quotes", "orders", "refusals", "broken")),
        *(lines_hash(day[name]) for name in ("quote_lines", "refusal_lines")),
        *(epoch["number"], epoch["timeline"], unix_ms(epoch["began_at"])),
    ]
    return hashlib.sha256(json.dumps(members).encode()).hexdigest()


def answer_of(answer: dict[str, Any]) -> bytes:
    request = stored_request(answer["signed"]) if "signed" in answer else b""
    lines = (
        answer["key"],
        answer["fingerprint"],
        answer["status"],
        answer["request_id"],
        hashlib.sha256(answer["body_utf8"].encode()).hexdigest(),
        hashlib.sha256(request).hexdigest(),
        answer.get("thumbprint", ""),
    )
    return hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).digest()


def stored_request(signed: dict[str, Any]) -> bytes:
    names = ("method", "target", "timestamp", "nonce", "signature", "body_utf8")
    return "\n".join(signed[name] for name in names).encode()


def bytes_of(case: dict[str, Any]) -> bytes:
    return bytes.fromhex(case["body_hex"]) if "body_hex" in case else str(case["body_utf8"]).encode()


def pem_of(key: ec.EllipticCurvePrivateKey) -> bytes:
    encoding, form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    return key.private_bytes(encoding, form, serialization.NoEncryption())
