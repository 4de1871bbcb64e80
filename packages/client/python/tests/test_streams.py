"""Reads streams over a transport that gives scripted answers: by GoldClient, and by AsyncGoldClient."""

from __future__ import annotations

import asyncio
import contextlib
import json
import unittest
from collections.abc import AsyncIterator, Iterator
from decimal import Decimal
from typing import Any
from unittest import mock

import httpx
from test_calls import Answer, Script, problem, reply, reset

from gold_partner import AsyncGoldClient, GoldClient, GoldError, Settings

PRICES = {
    **{"currency": "SAR", "unit": "gram", "purity": "24K", "market": "open"},
    **{"as_of": "2026-01-31T09:30:00.000Z", "sell_price": 498.5},
}
OPENED, PING = "retry: 1000\n\n", ": ping\n\n"
UNAVAILABLE = 'event: unavailable\ndata: {"code":"price_unavailable"}\n\n'


class Parts(httpx.SyncByteStream, httpx.AsyncByteStream):
    """The body of a reply: its parts, and then the end or an error."""

    def __init__(self, parts: tuple[str | bytes | Exception, ...]) -> None:
        self.parts = parts

    def __iter__(self) -> Iterator[bytes]:
        for part in self.parts:
            if isinstance(part, Exception):
                raise part
            yield part.encode() if isinstance(part, str) else part

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for part in self:
            yield part


def stream(*parts: str | bytes | Exception, media_type: str = "text/event-stream") -> httpx.Response:
    return httpx.Response(200, stream=Parts((OPENED, *parts)), headers={"Content-Type": media_type})


def price(buy_price: str) -> str:
    return f'data: {{{json.dumps(PRICES)[1:-1]},"buy_price":{buy_price}}}\n\n'


def event(sequence: int, **members: str) -> str:
    body = {"id": f"evt_{sequence}", "sequence": sequence, "type": "day.closed", "created_at": "", "data": {}}
    return f"id: {sequence}\ndata: {json.dumps({**body, **members}, ensure_ascii=False)}\n\n"


def end(reason: str) -> str:
    return f'event: end\ndata: {{"reason":"{reason}"}}\n\n'


class StreamTests(unittest.TestCase):
    """The tests, which a subclass runs with one of the clients."""

    def take(
        self, settings: Settings, transport: httpx.MockTransport, name: str, count: int, arguments: Any
    ) -> tuple[list[Any], GoldError | None]:
        """Returns up to `count` values of a stream and the error that ended it, if any. Closes the stream."""
        raise NotImplementedError

    def play(
        self, count: int, *answers: Answer, name: str = "stream_events", **arguments: Any
    ) -> tuple[Script, list[Any], GoldError | None]:
        """Takes up to `count` values. Pauses take no time; `self.pauses` has their seconds."""
        script = Script([*answers])
        settings = Settings(
            base_url="https://gold.example",
            client_id="sbx_1",
            client_secret="secret",
            tries_max=2,
            patience_seconds=10,
        )
        if name == "stream_events":
            arguments = {"after": 4, **arguments}
        with mock.patch("time.sleep") as slept, mock.patch("asyncio.sleep") as async_slept:
            values, error = self.take(settings, httpx.MockTransport(script.answer), name, count, arguments)
        self.pauses = [call.args[0] for call in [*slept.call_args_list, *async_slept.call_args_list]]
        return script, values, error

    def sequences(self, count: int, *answers: Answer) -> tuple[list[int], list[str]]:
        """Returns the sequences of the events and the queries of the requests."""
        script, values, error = self.play(count, *answers)
        self.assertIsNone(error)
        self.assertEqual(script.answers, [])
        return [value["sequence"] for value in values], [request.url.query.decode() for request in script.sent]

    def test_yields_exact_prices_and_none_while_there_is_no_fresh_price(self) -> None:
        answer = stream(PING, price("501.50"), UNAVAILABLE, price("12345678901234567890.0001"))
        script, values, error = self.play(3, answer, name="stream_prices")
        bought = [value and value["buy_price"] for value in values]
        self.assertEqual(bought, [Decimal("501.50"), None, Decimal("12345678901234567890.0001")])
        self.assertEqual([str(bought[0]), error], ["501.50", None])
        self.assertEqual(script.headers("Accept"), ["text/event-stream"])
        self.assertEqual(script.sent[0].extensions["timeout"], {"connect": 20, "read": 30, "write": 20, "pool": 20})

    def test_reads_messages_however_they_are_cut_and_ignores_unknown_ones(self) -> None:
        unknown = "event: news\ndata: {}\n\nspeed: 9\n\n"
        text = event(5, note="a\u2028b\x85ٴ") + unknown + event(6).replace("\n", "\r\n")
        for size in (1, 2, 7, 1000):
            body = text.encode()
            parts = [body[at : at + size] for at in range(0, len(body), size)]
            _, values, _ = self.play(2, stream(*parts))
            self.assertEqual([value["sequence"] for value in values], [5, 6])
            self.assertEqual(values[0]["note"], "a\u2028b\x85ٴ")

    def test_continues_after_the_last_event_that_it_yielded(self) -> None:
        silence = httpx.ReadTimeout("no data")
        cut_message = event(8)[:-1]
        found, queries = self.sequences(
            5,
            stream(event(5), end("drain")),
            stream(end("time_limit")),
            stream(event(6), event(7), cut_message, reset()),
            stream(silence),
            stream(event(8), "data: "),
            stream(event(9)),
        )
        self.assertEqual(found, [5, 6, 7, 8, 9])
        self.assertEqual(queries, [f"after={after}" for after in (4, 5, 5, 7, 7, 8)])

    def test_keeps_trying_until_the_service_is_back(self) -> None:
        passing = {"retryable": True}
        refusals: list[Answer] = [
            *(problem(429, "rate_limited", passing, Retry_After="7"), reply(502, "<html>"), reset()),
            *(problem(503, "service_unavailable", passing, Retry_After="3600") for _ in range(1200)),
        ]
        found, _ = self.sequences(2, stream(event(5), end("drain")), *refusals, stream(event(6)))
        self.assertEqual(found, [5, 6])
        self.assertEqual([int(seconds) for seconds in self.pauses[:2]], [0, 7])
        self.assertGreaterEqual(min(self.pauses[4:]), 3600)

    def test_waits_longer_while_connections_are_lost_at_once(self) -> None:
        with mock.patch("random.uniform", lambda least, most: most):
            self.sequences(1, *(stream() for _ in range(1100)), stream(event(5)))
            self.assertEqual(self.pauses[:4] + self.pauses[-1:], [0.2, 0.4, 0.8, 1.6, 10])
            self.sequences(1, stream(), stream(), stream(PING), stream(), stream(event(5)))
            self.assertEqual(self.pauses, [0.2, 0.4, 0.2, 0.4])

    def test_renews_a_refused_token(self) -> None:
        script, values, _ = self.play(1, stream(end("token_expired")), problem(401, "token_expired"), stream(event(5)))
        self.assertEqual(len(values), 1)
        self.assertEqual(script.headers("Authorization"), [f"Bearer token-{number}" for number in (1, 1, 2)])
        script, _, error = self.play(1, problem(401, "token_expired"), problem(401, "token_expired"))
        self.assertEqual(error and error.code, "token_expired")

    def test_keeps_trying_to_get_a_token(self) -> None:
        script = Script([stream(event(5))])
        failures = [reset() for _ in range(5)]

        def answer(request: httpx.Request) -> httpx.Response:
            if request.url.path == "/oauth/token" and failures:
                raise failures.pop()
            return script.answer(request)

        settings = Settings(
            base_url="https://gold.example", client_id="sbx_1", client_secret="secret", tries_max=2
        )
        with mock.patch("time.sleep"), mock.patch("asyncio.sleep"):
            values, error = self.take(settings, httpx.MockTransport(answer), "stream_events", 1, {"after": 0})
        self.assertEqual([len(values), error, failures], [1, None, []])

    def test_outlasts_any_outage_with_pauses_that_grow_to_10_s(self) -> None:
        passing: list[Answer] = [
            *(reset(), httpx.ConnectError("refused"), reply(502, "<html>"), reply(501, "")),
            problem(500, "internal_error", {"retryable": False}),
            problem(429, "rate_limited", {"retryable": True}),
            problem(408, "request_timeout", {"retryable": True}),
            problem(401, "token_expired", {}),
        ]
        with mock.patch("random.uniform", lambda least, most: most):
            found, _ = self.sequences(1, *passing, *passing, *passing, stream(event(5)))
            self.assertEqual(found, [5])
            self.assertEqual(self.pauses[:8], [0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 10, 0])
            # Lost connections and failed tries grow the same pauses.
            unavailable = problem(503, "service_unavailable", {"retryable": True})
            self.sequences(1, stream(end("drain")), unavailable, stream(PING), unavailable, stream(event(5)))
            self.assertEqual(self.pauses, [0.2, 0.4, 0.2, 0.4])

    def test_raises_the_refusal_to_open_it_again(self) -> None:
        for reason, code in {"suspended": "partner_suspended", "revoked": "ip_not_allowed"}.items():
            refusal = problem(403, code, {"retryable": False})
            script, values, error = self.play(9, stream(event(5), end(reason)), refusal)
            self.assertEqual([len(values), len(script.sent)], [1, 2])
            self.assertEqual(error and (error.code, error.status), (code, 403))
        for status, code in ((403, "certificate_revoked"), (400, "invalid_request")):
            script, _, error = self.play(9, problem(status, code, {"retryable": False}))
            self.assertEqual([error and error.code, len(script.sent)], [code, 1])

    def test_raises_after_another_form_of_reply_or_message(self) -> None:
        other = [
            stream(event(5), media_type="text/html"),
            *(stream(f"data: {data}\n\n") for data in ("{}", "[]", "{", "1")),
        ]
        for answer in other:
            script, values, error = self.play(9, answer)
            self.assertEqual([values, error and error.code, len(script.sent)], [[], "reply_invalid", 1])
            self.assertTrue(answer.is_closed)

    def test_refuses_to_start_without_a_position(self) -> None:
        for after in (None, "4"):
            script, _, error = self.play(1, after=after)
            self.assertEqual([error and error.code, script.sent], ["argument_invalid", []])

    def test_closes_the_connection_with_the_iterator(self) -> None:
        answers = [stream(event(5), end("drain")), stream(event(6), event(7))]
        self.play(2, *answers)
        for answer in answers:
            self.assertTrue(answer.is_closed)


class GoldClientStreamTests(StreamTests):
    def take(
        self, settings: Settings, transport: httpx.MockTransport, name: str, count: int, arguments: Any
    ) -> tuple[list[Any], GoldError | None]:
        taken: list[Any] = []
        with GoldClient(settings, transport=transport) as client:
            try:
                with contextlib.closing(getattr(client, name)(**arguments)) as values:
                    while len(taken) < count:
                        taken.append(next(values))
            except GoldError as error:
                return taken, error
        return taken, None


class AsyncGoldClientStreamTests(StreamTests):
    def take(
        self, settings: Settings, transport: httpx.MockTransport, name: str, count: int, arguments: Any
    ) -> tuple[list[Any], GoldError | None]:
        async def run() -> tuple[list[Any], GoldError | None]:
            taken: list[Any] = []
            async with AsyncGoldClient(settings, transport=transport) as client:
                try:
                    async with contextlib.aclosing(getattr(client, name)(**arguments)) as values:
                        while len(taken) < count:
                            taken.append(await anext(values))
                except GoldError as error:
                    return taken, error
            return taken, None

        return asyncio.run(run())


# unittest would run the tests of the base class, too.
del StreamTests
