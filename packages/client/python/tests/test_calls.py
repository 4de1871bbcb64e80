"""Makes calls over a transport that gives scripted answers: by GoldClient, and by AsyncGoldClient."""

from __future__ import annotations

import asyncio
import json
import re
import ssl
import unittest
from collections.abc import Callable
from decimal import Decimal
from typing import Any
from unittest import mock

import httpx

from gold_partner import AsyncGoldClient, GoldClient, GoldError, Settings, TryReport

Answer = httpx.Response | Exception
ORDER = {
    **{
        "order_id": "ord_1",
        "quote_id": "qt_1",
        "side": "buy",
        "gold_grams": 1.5,
        "price_per_gram_sar": 500.0001,
    },
    **{"total_sar": 750.01, "status": "executed", "executed_at": "2026-01-31T09:30:00.000Z", "balances": {}},
}


def reply(status: int, body: object, headers: dict[str, str] | None = None) -> httpx.Response:
    content = body if isinstance(body, str) else json.dumps(body)
    return httpx.Response(status, content=content, headers=headers)


def problem(status: int, code: str, members: dict[str, Any] | None = None, **headers: str) -> httpx.Response:
    body = {"code": code, "detail": "…", "request_id": "req_1", **(members or {})}
    return reply(status, body, {name.replace("_", "-"): value for name, value in headers.items()})


def reset() -> Exception:
    return httpx.ReadError("connection reset")


def refused() -> Exception:
    return httpx.ConnectError("connection refused")


class Script:
    """Answers the token requests, and gives the scripted answers to the other requests."""

    def __init__(self, answers: list[Answer]) -> None:
        self.answers = answers
        self.sent: list[httpx.Request] = []
        self.tokens = 0
        self.reports: list[TryReport] = []

    def answer(self, request: httpx.Request) -> httpx.Response:
        if request.url.path == "/oauth/token":
            self.tokens += 1
            return reply(
                200, {"access_token": f"token-{self.tokens}", "token_type": "Bearer", "expires_in": 600}
            )
        self.sent.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def headers(self, name: str) -> list[str]:
        return [request.headers[name] for request in self.sent]


class CallTests(unittest.TestCase):
    """The tests, which a subclass runs with one of the clients."""

    def run_call(self, settings: Settings, transport: httpx.MockTransport, name: str, arguments: Any) -> Any:
        raise NotImplementedError

    def play(self, answers: list[Answer], name: str = "place_order", **arguments: Any) -> tuple[Script, Any]:
        """Returns the script and the result of a call, or its GoldError. Pauses take no time."""
        script = Script(answers)
        chosen = {key: arguments.pop(key) for key in list(arguments) if key in Settings.__dataclass_fields__}
        sign = None if "sign" in chosen else lambda data: bytes(64)
        settings = Settings(
            **{
                **{
                    "base_url": "https://gold.example",
                    "client_id": "sbx_1",
                    "client_secret": "secret",
                    "sign": sign,
                },
                **{"observe": script.reports.append, **chosen},
            }
        )
        if name == "place_order":
            arguments = {"quote_id": "qt_1", **arguments}
        with mock.patch("time.sleep"), mock.patch("asyncio.sleep"):
            try:
                return script, self.run_call(settings, httpx.MockTransport(script.answer), name, arguments)
            except GoldError as error:
                return script, error

    def test_keeps_its_key_and_signs_each_try_anew(self) -> None:
        script, order = self.play([reset(), problem(504, "upstream_timeout"), reply(200, ORDER)])
        self.assertEqual(order["order_id"], "ord_1")
        distinct = [len(set(script.headers(name))) for name in ("Idempotency-Key", "X-Nonce")]
        self.assertEqual(distinct, [1, 3])

    def test_uses_the_callers_key(self) -> None:
        script, _ = self.play([reply(200, ORDER)], idempotency_key="mine")
        self.assertEqual(script.headers("Idempotency-Key"), ["mine"])

    def test_refuses_a_misspelt_text_before_it_sends_anything(self) -> None:
        with self.assertRaisesRegex(TypeError, r"place_order\(\) got an unexpected .* 'referense'"):
            self.play([], referense="x")

    def test_waits_as_long_as_retry_after_says(self) -> None:
        dates = {"Retry_After": "Sat, 31 Jan 2026 09:30:01 GMT", "Date": "Sat, 31 Jan 2026 09:30:00 GMT"}
        passing = {"retryable": True}
        limited = problem(429, "rate_limited", passing, Retry_After="2")
        script, _ = self.play(
            [limited, problem(503, "service_unavailable", passing, **dates), reply(200, ORDER)]
        )
        waits = [report.retry_in_seconds for report in script.reports if report.operation == "createOrder"]
        self.assertEqual([wait and int(wait) for wait in waits], [2, 1, None])

    def test_fails_at_once_if_retry_after_exceeds_patience(self) -> None:
        away = problem(503, "service_unavailable", {"retryable": True}, Retry_After="3600")
        script, error = self.play([away])
        self.assertEqual(
            (error.code, error.retryable, error.outcome_unknown), ("service_unavailable", True, False)
        )
        self.assertEqual((error.retry_after_seconds, len(script.sent)), (3600, 1))
        self.assertIn("Call again in 3600 s.", str(error))

    def test_tries_no_more_than_tries_max_times(self) -> None:
        script, error = self.play([reset(), refused(), refused()], tries_max=3)
        self.assertEqual((len(script.sent), error.code), (3, "connection_failed"))
        self.assertIn("Tried 3 times", str(error))

    def test_reports_whether_the_outcome_is_known(self) -> None:
        final = {"retryable": False}
        cases: list[tuple[str, list[Answer], bool]] = [
            ("a connection that was never opened", [refused()], False),
            ("a broken connection", [reset()], True),
            ("no reply in time", [httpx.ReadTimeout("no data")], True),
            ("a broken connection, then a refused one", [reset(), refused()], True),
            (
                "a broken connection, then a business refusal",
                [reset(), problem(422, "quote_expired", final)],
                False,
            ),
            (
                "a broken connection, then a certificate",
                [reset(), problem(403, "certificate_revoked", final)],
                True,
            ),
            ("a refused certificate", [problem(403, "certificate_revoked", final)], False),
            (
                "a broken connection, then an unknown quote",
                [reset(), problem(404, "not_found", final)],
                False,
            ),
            ("a timeout of the proxy", [problem(504, "upstream_timeout")], True),
            ("a nonce that was used", [problem(409, "nonce_reused", {"retryable": True})], True),
            ("an error page of a load balancer", [reply(502, "<html>")], True),
            ("a redirect to a login page", [reply(302, "", {"Location": "https://login.example"})], True),
            ("an error page of a firewall", [reply(403, "<html>")], True),
            ("a JSON reply of a firewall", [reply(403, {"code": "blocked"})], True),
            ("a new 5xx code", [problem(500, "gold_is_molten", final)], True),
            ("a new 4xx code", [problem(422, "gold_is_tired", final)], False),
            (
                "a broken connection, then a new 4xx code",
                [reset(), problem(422, "gold_is_tired", final)],
                True,
            ),
        ]
        for what, answers, unknown in cases:
            with self.subTest(what):
                script, error = self.play(list(answers), tries_max=len(answers))
                self.assertEqual(error.outcome_unknown, unknown)
                self.assertEqual(error.idempotency_key, script.headers("Idempotency-Key")[0])
                self.assertEqual(error.idempotency_key in str(error), unknown)

    def test_does_not_retry_what_cannot_succeed_soon(self) -> None:
        untrusted = httpx.ConnectError("self-signed certificate")
        untrusted.__cause__ = ssl.SSLCertVerificationError("self-signed certificate")
        cases: dict[str, Answer] = {
            "market_closed": problem(422, "market_closed", {"retryable": True}),
            "invalid_request": problem(400, "invalid_request", {"retryable": False}),
            "tls_failed": untrusted,
        }
        for code, answer in cases.items():
            with self.subTest(code):
                script, error = self.play([answer])
                self.assertEqual((error.code, len(script.sent)), (code, 1))

    def test_fetches_one_new_token_after_a_refused_one(self) -> None:
        for code in ("token_invalid", "token_expired"):
            script, order = self.play([problem(401, code), reply(200, ORDER)], tries_max=1)
            self.assertEqual(order["order_id"], "ord_1")
            self.assertEqual(script.headers("Authorization"), ["Bearer token-1", "Bearer token-2"])
        script, error = self.play([problem(401, "token_invalid"), problem(401, "token_invalid")])
        self.assertEqual((error.code, len(script.sent), script.tokens), ("token_invalid", 2, 2))

    def test_names_the_offset_of_a_wrong_clock(self) -> None:
        late = problem(401, "timestamp_out_of_window", Date="Sat, 31 Jan 2026 09:30:00 GMT")
        script, error = self.play([late], now=lambda: 1769851439.0)
        self.assertRegex(error.detail, r"clock is 36[12] s behind the service's.*within 300 s.*NTP")
        self.assertEqual(len(script.sent), 1)

    def test_sends_nothing_with_an_invalid_argument(self) -> None:
        wrong: list[tuple[str, dict[str, Any]]] = [
            ("get_order", {"order_id": ".."}),
            ("get_order", {"order_id": "ord_1/../../health"}),
            ("create_quote", {"side": "buy", "gold_grams": 1.5}),
            ("create_quote", {"side": "buy", "gold_grams": True}),
            ("create_quote", {"side": "buy", "gold_grams": Decimal("NaN")}),
            ("create_quote", {"side": "buy", "gold_grams": "1.00001"}),
            ("create_quote", {"side": "buy", "gold_grams": "-1"}),
            ("create_quote", {"side": "buy"}),
            ("create_quote", {"side": "buy", "gold_grams": "1", "amount_sar": "1"}),
            ("place_order", {"idempotency_key": "two words"}),
            ("place_order", {"idempotency_key": ""}),
        ]
        for name, arguments in wrong:
            with self.subTest(name, **arguments):
                script, error = self.play([], name, **arguments)
                self.assertEqual((error.code, script.sent, script.tokens), ("argument_invalid", [], 0))

    def test_writes_and_reads_exact_quantities(self) -> None:
        quantities = {"1.50": b"1.5", Decimal("1E+3"): b"1000", 7: b"7", Decimal("0.0001"): b"0.0001"}
        quote = {**ORDER, "created_at": "", "expires_at": ""}
        for given, written in quantities.items():
            script, _ = self.play([reply(201, quote)], "create_quote", side="buy", gold_grams=given)
            self.assertEqual(script.sent[0].content, b'{"side":"buy","gold_grams":%b}' % written)
        body = json.dumps(ORDER).replace("750.01", "12345678901234567890.10").replace("1.5,", "2,")
        _, order = self.play([reply(201, body[:-1] + ',"spread_sar":1e-5,"fees":2}')])
        exact = {"total_sar": Decimal("12345678901234567890.10"), "gold_grams": Decimal(2), "fees": 2}
        self.assertEqual({name: order[name] for name in exact}, exact)
        self.assertEqual([type(order[name]) for name in exact], [Decimal, Decimal, int])
        self.assertEqual(order["spread_sar"], Decimal("0.00001"))

    def test_refuses_a_success_in_another_form(self) -> None:
        lacking = {name: value for name, value in ORDER.items() if name != "status"}
        twice = json.dumps(ORDER)[:-1] + ',"status":"executed"}'
        other: list[Any] = [{"hello": 1}, [], None, "", "<html>", lacking, twice, '{"total_sar":NaN}']
        for body in other:
            _, error = self.play([reply(201, body, {"X-Request-Id": "req_2"})])
            self.assertEqual((error.code, error.status, error.request_id), ("reply_invalid", 201, "req_2"))
            self.assertEqual((error.outcome_unknown, error.retryable), (True, True))
        pages: list[Any] = [{"items": [1]}, {"items": {}, "next_cursor": None}, {}]
        for body in pages:
            _, error = self.play([reply(200, body)], "list_orders")
            self.assertEqual((error.code, error.outcome_unknown), ("reply_invalid", False))
        _, error = self.play(
            [reply(200, "<html>")], "get_statement_csv", first_day="2026-01-01", last_day="2026-01-31"
        )
        self.assertEqual(error.code, "reply_invalid")

    def test_reads_all_pages(self) -> None:
        pages = [
            reply(200, {"items": [1, 2], "next_cursor": "c"}),
            reply(200, {"items": [3], "next_cursor": None}),
        ]
        script, items = self.play([*pages], "list_orders", limit=2)
        self.assertEqual(items, [1, 2, 3])
        queries = [request.url.query for request in script.sent]
        self.assertEqual(queries, [b"limit=2", b"limit=2&cursor=c"])

    def test_sends_the_partners_own_texts_and_filters_by_them(self) -> None:
        texts = {"reference": 'A "b" ٦', "account_label": "Desk 1+1"}
        quote = {**ORDER, **texts, "created_at": "", "expires_at": ""}
        withdrawal = {"withdrawal_id": "wd_1", "amount_sar": 1, "iban_masked": "", "status": "paid", **texts}
        withdrawal |= {"created_at": "", "balances": {}}
        writes: list[Any] = [
            ("create_quote", {"side": "buy", "gold_grams": "1"}, quote),
            ("place_order", {}, {**ORDER, **texts}),
            ("create_withdrawal", {"amount_sar": "1"}, withdrawal),
        ]
        for name, arguments, body in writes:
            script, made = self.play([reply(201, body)], name, **arguments, **texts)
            self.assertEqual({key: json.loads(script.sent[0].content)[key] for key in texts}, texts)
            self.assertEqual({key: made[key] for key in texts}, texts)
            script, _ = self.play([reply(201, body)], name, **arguments)
            self.assertNotIn(b"account_label", script.sent[0].content)
        for name in ("list_orders", "list_withdrawals"):
            pages = [reply(200, {"items": [], "next_cursor": "c"}), reply(200, {"items": [1], "next_cursor": None})]
            script, items = self.play([*pages], name, **texts)
            self.assertEqual(items, [1])
            query = b"reference=A%20%22b%22%20%D9%A6&account_label=Desk%201%2B1"
            self.assertEqual([request.url.query for request in script.sent], [query, query + b"&cursor=c"])

    def test_reports_a_missing_key_and_why_signing_failed(self) -> None:
        def offline(data: bytes) -> bytes:
            raise OSError("the HSM is offline")

        _, error = self.play([], sign=None)
        self.assertEqual((error.code, error.outcome_unknown), ("configuration_invalid", False))
        script, error = self.play([], sign=offline)
        self.assertEqual((error.code, script.sent), ("signing_failed", []))
        self.assertIn("the HSM is offline", str(error))
        _, error = self.play([], sign=lambda data: bytes(71))
        self.assertIn("not DER; got 71 bytes", str(error))

    def test_reports_every_try_and_never_a_secret(self) -> None:
        script, _ = self.play([reset(), reply(201, ORDER, {"X-Request-Id": "req_2"})])
        observed = [
            (each.operation, each.tries, each.status, each.code, each.request_id) for each in script.reports
        ]
        token = ("issueToken", 1, 200, None, None)
        tries = [("createOrder", 1, None, "connection_failed", None), ("createOrder", 2, 201, None, "req_2")]
        self.assertEqual(observed, [token, *tries])
        self.assertIsNone(re.search("token-1|secret|qt_1", str(script.reports)))

    def test_lists_every_mistake_in_the_settings(self) -> None:
        _, error = self.play([], base_url="http://gold.example/v1", client_id="", tries_max=0, kid="")
        self.assertEqual(error.code, "configuration_invalid")
        for name in ("base_url", "client_id", "tries_max", "kid"):
            self.assertIn(f"{name} ", error.detail)
        self.assertNotIn(
            "hush", repr(Settings(base_url="https://x", client_id="sbx_1", client_secret="hush"))
        )


class GoldClientTests(CallTests):
    def run_call(self, settings: Settings, transport: httpx.MockTransport, name: str, arguments: Any) -> Any:
        with GoldClient(settings, transport=transport) as client:
            result = getattr(client, name)(**arguments)
            return list(result) if name.startswith("list_") else result

    def test_refuses_a_call_after_close(self) -> None:
        settings = Settings(base_url="https://gold.example", client_id="sbx_1", client_secret="secret")
        client = GoldClient(settings, transport=httpx.MockTransport(Script([]).answer))
        client.close()
        with self.assertRaises(GoldError) as raised:
            client.get_prices()
        self.assertEqual(raised.exception.code, "argument_invalid")


class AsyncGoldClientTests(CallTests):
    def run_call(self, settings: Settings, transport: httpx.MockTransport, name: str, arguments: Any) -> Any:
        async def run() -> Any:
            async with AsyncGoldClient(settings, transport=transport) as client:
                result = getattr(client, name)(**arguments)
                return [item async for item in result] if name.startswith("list_") else await result

        return asyncio.run(run())


# unittest would run the tests of the base class, too.
del CallTests
