"""python_client_fixture.py FOLDER CHECK [ARGUMENT…]: runs one check of the Python example client in FOLDER.

Prints the result as JSON on the last line.
"""

import base64
import json
import sys
import time
from decimal import Decimal
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(Path(sys.argv[1]).resolve()))
import gold_client  # noqa: E402
from cryptography.hazmat.primitives.asymmetric import ec  # noqa: E402

GoldClient, GoldError = gold_client.GoldClient, gold_client.GoldError
X_OF_RFC_6979 = 0xC9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721


def vectors() -> dict[str, object]:
    asked: dict[str, int] = {}
    differences: list[str] = []
    checks = {"canonical_request": canonical_request, "detached_jws": detached_jws, "money": money, "webhook": webhook}
    for file, agrees in checks.items():
        for case in json.loads((ROOT / "vectors" / f"{file}.json").read_text())["cases"]:
            outcome = agrees(case)
            if outcome is not None:
                asked[file] = asked.get(file, 0) + 1
            if outcome is False:
                differences.append(f"{file}: {case['name']}")
    return {"asked": asked, "differences": differences}


def canonical_request(case: dict) -> bool | None:
    """Returns None for a case with a wrong body hash, because the client computes the hash itself."""
    body = bytes_of(case)
    parts = (case["method"], case["url"], body, case["timestamp"], case["nonce"])
    if case.get("reason") == "invalid_body_hash":
        return None
    if "reason" in case:
        return refuses(lambda: gold_client.canonical_string(*parts))
    return gold_client.canonical_string(*parts).decode() == case["canonical"]


def detached_jws(case: dict) -> bool | None:
    """Returns None for signatures that this client never makes.

    These are invalid signatures, signatures with another header, and the one with the complementary s.
    """
    header = base64.urlsafe_b64encode(b'{"alg":"ES256","b64":false,"crit":["b64"]}').decode().rstrip("=")
    if not case["valid"] or not case["jws"].startswith(f"{header}..") or case["name"] == "the complementary s: n - s":
        return None
    key = ec.derive_private_key(X_OF_RFC_6979, ec.SECP256R1())
    return gold_client.detached_jws(key, bytes.fromhex(case["payload_hex"])) == case["jws"]


def money(case: dict) -> bool | None:
    """Returns None for every case except the parsing of a valid quantity.

    Only the service rejects invalid quantities and rounds.
    """
    if case["operation"] != "parse" or "units" not in case:
        return None
    decimals = 2 if case["quantity"] == "sar" else 4
    quantity = Decimal(f"{case['units']}e-{decimals}")
    written = gold_client.to_json({"quantity": quantity})
    return gold_client.parse_json(case["json"].encode()) == quantity == gold_client.parse_json(written)["quantity"]


def webhook(case: dict) -> bool:
    if "secret" in case:
        return refuses(lambda: gold_client.webhook_signature(case["secret"], "evt_1", "1700000000", b"{}"))
    body = bytes_of(case)
    if "headers" not in case:
        signed = [gold_client.webhook_signature(secret, case["id"], str(case["timestamp"]), body) for secret in case["secrets"]]
        return " ".join(signed) == case["signature"]
    refused = refuses(lambda: gold_client.verify_webhook(body, case["headers"], case["secrets"], case["now_seconds"]))
    return refused is not case["valid"]


def bytes_of(case: dict) -> bytes:
    return bytes.fromhex(case["body_hex"]) if "body_hex" in case else case["body_utf8"].encode()


def refuses(work) -> bool:
    try:
        work()
    except ValueError:
        return True
    return False


def order_over(credentials: str, port: str) -> object:
    """Makes a quote, reconnects to the port and prints "ready".

    Places the order when a line arrives on stdin.
    """
    gold = GoldClient.from_credentials(credentials)
    quote = gold.quote("buy", gold_grams=Decimal("0.25"), idempotency_key=f"quote-over-{port}")
    gold._connection.close()
    gold._connection.port = int(port)
    gold.prices()
    print(json.dumps("ready"), flush=True)
    sys.stdin.readline()
    order = gold.order(quote["quote_id"], idempotency_key=f"order-over-{port}")
    return {"order_id": order["order_id"], "grams": str(order["gold_grams"])}


def refused_by_clock(credentials: str, seconds: str) -> object:
    gold = GoldClient.from_credentials(credentials)
    quote = gold.quote("buy", gold_grams=Decimal("0.25"), idempotency_key=f"quote-by-clock-{seconds}")
    clock = time.time
    time.time = lambda: clock() + int(seconds)
    try:
        gold.order(quote["quote_id"], idempotency_key=f"order-by-clock-{seconds}")
    except GoldError as error:
        return {name: getattr(error, name) for name in ("code", "status", "detail", "request_id", "retryable")}
    return "the order was executed"


def pauses(credentials: str, calls: str) -> object:
    """Reads the prices `calls` times, and once more with an invalid token.

    `by_rate` lists the client's waits during the first reads, in seconds. `by_token` is the number of waits
    that the invalid token caused.
    """
    waited: list[float] = []
    sleep = time.sleep
    time.sleep = lambda seconds: (waited.append(seconds), sleep(seconds))
    gold = GoldClient.from_credentials(credentials)
    for _ in range(int(calls)):
        gold.prices()
    by_rate = list(waited)
    gold._token = "ended"
    gold.prices()
    return {"by_rate": by_rate, "by_token": len(waited) - len(by_rate)}


if __name__ == "__main__":
    question, *words = sys.argv[2:]
    ask = {"vectors": vectors, "order_over": order_over, "refused_by_clock": refused_by_clock, "pauses": pauses}[question]
    print(json.dumps(ask(*words)), flush=True)
