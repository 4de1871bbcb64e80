"""GoldClient and AsyncGoldClient: the same calls, for threads and for asyncio."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import inspect
import os
import re
import ssl
import threading
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Generator, Iterator
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

import httpx

from . import calls
from .calls import Listing
from .error import GoldError
from .exchange import Call, Exchange, GetToken, Pause, Send, Step, Steps
from .failure import Reply, SendError
from .foreign_credential import read_thumbprints
from .settings import Settings, tls_context
from .streams import Stream, StreamEnd

P = ParamSpec("P")
T = TypeVar("T")

#: Each new connection costs a TLS handshake, so more connections would slow down an overloaded service
#: further.
LIMITS = httpx.Limits(max_connections=64)
CERTIFICATE_ALERT = re.compile("ALERT_(.*CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED)")
#: The service sends something every 10 s. After this time without anything, the connection is lost.
SILENCE_SECONDS = 30.0
UNSENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)


class _Client:
    """The base class of both clients. It holds the settings, and sends nothing."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._exchange = Exchange(settings)

    @classmethod
    def from_credentials(cls, path: str | os.PathLike[str]) -> Self:
        """Opens a client with the credentials.json at a path."""
        return cls(Settings.from_credentials(path))

    @classmethod
    def from_env(cls) -> Self:
        """Opens a client with the credentials that environment variables name: see Settings.from_env()."""
        return cls(Settings.from_env())

    @property
    def clock_offset_seconds(self) -> int | None:
        """Seconds that this machine's clock is ahead of the service's. None before the first reply."""
        return self._exchange.clock_offset_seconds

    @property
    def known_thumbprints(self) -> tuple[str, ...]:
        """The thumbprints of the settings' certificate, signing_key and known_thumbprints.

        Pass them to find_foreign_credential(). Raises OSError or ValueError if a file cannot be read.
        """
        return read_thumbprints(self._settings)


def _named(method: Callable[P, T], operation: Callable[..., object]) -> Callable[P, T]:
    """Gives a method the name, the documentation and the parameters of its operation, for help()."""
    functools.update_wrapper(method, operation)
    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
    parameters = [own, *inspect.signature(operation).parameters.values()]
    method.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return method


def _call(operation: Callable[P, Call[T]]) -> Callable[Concatenate[GoldClient, P], T]:
    def method(self: GoldClient, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self._run(self._exchange.run(operation(*args, **kwargs)))

    return _named(method, operation)


def _list(operation: Callable[P, Listing[T]]) -> Callable[Concatenate[GoldClient, P], Iterator[T]]:
    def method(self: GoldClient, /, *args: P.args, **kwargs: P.kwargs) -> Iterator[T]:
        listing, cursor = operation(*args, **kwargs), None
        while True:
            page = self._run(self._exchange.run(listing.page(cursor)))
            yield from page.items
            if page.next_cursor is None:
                return
            cursor = page.next_cursor

    return _named(method, operation)


def _stream(
    operation: Callable[P, Stream[T]],
) -> Callable[Concatenate[GoldClient, P], Generator[T, None, None]]:
    def method(self: GoldClient, /, *args: P.args, **kwargs: P.kwargs) -> Generator[T, None, None]:
        stream = operation(*args, **kwargs)
        while True:
            with contextlib.closing(self._run(stream.open(self._exchange))) as response:
                with contextlib.suppress(StreamEnd, httpx.HTTPError):
                    for part in response.iter_bytes():
                        yield from stream.receive(part)

    return _named(method, operation)


def _async_call(operation: Callable[P, Call[T]]) -> Callable[Concatenate[AsyncGoldClient, P], Awaitable[T]]:
    async def method(self: AsyncGoldClient, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._run(self._exchange.run(operation(*args, **kwargs)))

    return _named(method, operation)


def _async_list(
    operation: Callable[P, Listing[T]],
) -> Callable[Concatenate[AsyncGoldClient, P], AsyncIterator[T]]:
    async def method(self: AsyncGoldClient, /, *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[T]:
        listing, cursor = operation(*args, **kwargs), None
        while True:
            page = await self._run(self._exchange.run(listing.page(cursor)))
            for item in page.items:
                yield item
            if page.next_cursor is None:
                return
            cursor = page.next_cursor

    return _named(method, operation)


def _async_stream(
    operation: Callable[P, Stream[T]],
) -> Callable[Concatenate[AsyncGoldClient, P], AsyncGenerator[T, None]]:
    async def method(self: AsyncGoldClient, /, *args: P.args, **kwargs: P.kwargs) -> AsyncGenerator[T, None]:
        stream = operation(*args, **kwargs)
        while True:
            async with contextlib.aclosing(await self._run(stream.open(self._exchange))) as response:
                with contextlib.suppress(StreamEnd, httpx.HTTPError):
                    async for part in response.aiter_bytes():
                        for value in stream.receive(part):
                            yield value

    return _named(method, operation)


class GoldClient(_Client):
    """Calls the service for one partner. It handles mutual TLS, tokens, signatures and retries.

    Threads can share one client. Every call that fails raises a GoldError.

        with GoldClient.from_env() as client:
            quote = client.create_quote("buy", gold_grams="1.5")
            order = client.place_order(quote["quote_id"])
    """

    def __init__(self, settings: Settings, *, transport: httpx.BaseTransport | None = None) -> None:
        """Opens a client. `transport` replaces the one over mutual TLS."""
        super().__init__(settings)
        tls = True if transport else tls_context(settings)
        self._http = httpx.Client(verify=tls, transport=transport, limits=LIMITS)
        self._token_lock = threading.Lock()

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self, steps: Steps[T]) -> T:
        resume: Callable[[], Step] = functools.partial(next, steps)
        while True:
            try:
                step = resume()
            except StopIteration as end:
                result: T = end.value
                return result
            try:
                resume = functools.partial(steps.send, self._do(step))
            except (GoldError, SendError) as error:
                resume = functools.partial(steps.throw, error)

    def _do(self, step: Step) -> object:
        match step:
            case Pause(seconds):
                time.sleep(seconds)
                return None
            case GetToken():
                with self._token_lock:
                    return self._run(self._exchange.token(step))
            case Send():
                _require_open(self._http)
                try:
                    response = self._http.send(self._http.build_request(**_request(step)), stream=step.streams)
                    if not _is_open_stream(response):
                        with contextlib.closing(response):
                            response.read()
                    return _reply(response)
                except httpx.HTTPError as error:
                    raise _send_error(error) from error

    get_health = _call(calls.get_health)
    get_prices = _call(calls.get_prices)
    get_price_history = _call(calls.get_price_history)
    stream_prices = _stream(calls.stream_prices)
    fund_sandbox = _call(calls.fund_sandbox)
    create_quote = _call(calls.create_quote)
    get_quote = _call(calls.get_quote)
    place_order = _call(calls.place_order)
    get_order = _call(calls.get_order)
    list_orders = _list(calls.list_orders)
    create_withdrawal = _call(calls.create_withdrawal)
    cancel_withdrawal = _call(calls.cancel_withdrawal)
    get_withdrawal = _call(calls.get_withdrawal)
    list_withdrawals = _list(calls.list_withdrawals)
    get_funding = _call(calls.get_funding)
    list_fundings = _list(calls.list_fundings)
    get_balances = _call(calls.get_balances)
    get_statement = _call(calls.get_statement)
    get_statement_csv = _call(calls.get_statement_csv)
    get_reserves = _call(calls.get_reserves)
    get_reserves_list = _call(calls.get_reserves_list)
    get_limits = _call(calls.get_limits)
    get_chain_key = _call(calls.get_chain_key)
    get_account = _call(calls.get_account)
    request_change = _call(calls.request_change)
    get_changes = _call(calls.get_changes)
    get_change = _call(calls.get_change)
    get_credentials = _call(calls.get_credentials)
    list_events = _list(calls.list_events)
    stream_events = _stream(calls.stream_events)
    get_event = _call(calls.get_event)
    redeliver_event = _call(calls.redeliver_event)
    test_webhook = _call(calls.test_webhook)
    probe_signature = _call(calls.probe_signature)
    simulate_withdrawal = _call(calls.simulate_withdrawal)
    simulate_deposit = _call(calls.simulate_deposit)
    simulate_deposit_reversal = _call(calls.simulate_deposit_reversal)
    simulate_quote_expiry = _call(calls.simulate_quote_expiry)
    simulate_event = _call(calls.simulate_event)
    simulate_market = _call(calls.simulate_market)
    simulate_prices = _call(calls.simulate_prices)
    simulate_failure = _call(calls.simulate_failure)
    simulate_webhooks = _call(calls.simulate_webhooks)
    get_simulations = _call(calls.get_simulations)
    reset_simulations = _call(calls.reset_simulations)


class AsyncGoldClient(_Client):
    """GoldClient for asyncio: `await` each call, and iterate over a list or a stream with `async for`.

    If you cancel a call, it is not known whether a write was executed. Repeat it with your own
    idempotency_key.

        async with AsyncGoldClient.from_env() as client:
            quote = await client.create_quote("buy", gold_grams="1.5")
            order = await client.place_order(quote["quote_id"], idempotency_key="order-17")
    """

    def __init__(self, settings: Settings, *, transport: httpx.AsyncBaseTransport | None = None) -> None:
        """Opens a client. `transport` replaces the one over mutual TLS."""
        super().__init__(settings)
        tls = True if transport else tls_context(settings)
        self._http = httpx.AsyncClient(verify=tls, transport=transport, limits=LIMITS)
        self._token_lock = asyncio.Lock()

    async def close(self) -> None:
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _run(self, steps: Steps[T]) -> T:
        resume: Callable[[], Step] = functools.partial(next, steps)
        while True:
            try:
                step = resume()
            except StopIteration as end:
                result: T = end.value
                return result
            try:
                resume = functools.partial(steps.send, await self._do(step))
            except (GoldError, SendError) as error:
                resume = functools.partial(steps.throw, error)

    async def _do(self, step: Step) -> object:
        match step:
            case Pause(seconds):
                await asyncio.sleep(seconds)
                return None
            case GetToken():
                async with self._token_lock:
                    return await self._run(self._exchange.token(step))
            case Send():
                _require_open(self._http)
                try:
                    request = self._http.build_request(**_request(step))
                    response = await self._http.send(request, stream=step.streams)
                    if not _is_open_stream(response):
                        async with contextlib.aclosing(response):
                            await response.aread()
                    return _reply(response)
                except httpx.HTTPError as error:
                    raise _send_error(error) from error

    get_health = _async_call(calls.get_health)
    get_prices = _async_call(calls.get_prices)
    get_price_history = _async_call(calls.get_price_history)
    stream_prices = _async_stream(calls.stream_prices)
    fund_sandbox = _async_call(calls.fund_sandbox)
    create_quote = _async_call(calls.create_quote)
    get_quote = _async_call(calls.get_quote)
    place_order = _async_call(calls.place_order)
    get_order = _async_call(calls.get_order)
    list_orders = _async_list(calls.list_orders)
    create_withdrawal = _async_call(calls.create_withdrawal)
    cancel_withdrawal = _async_call(calls.cancel_withdrawal)
    get_withdrawal = _async_call(calls.get_withdrawal)
    list_withdrawals = _async_list(calls.list_withdrawals)
    get_funding = _async_call(calls.get_funding)
    list_fundings = _async_list(calls.list_fundings)
    get_balances = _async_call(calls.get_balances)
    get_statement = _async_call(calls.get_statement)
    get_statement_csv = _async_call(calls.get_statement_csv)
    get_reserves = _async_call(calls.get_reserves)
    get_reserves_list = _async_call(calls.get_reserves_list)
    get_limits = _async_call(calls.get_limits)
    get_chain_key = _async_call(calls.get_chain_key)
    get_account = _async_call(calls.get_account)
    request_change = _async_call(calls.request_change)
    get_changes = _async_call(calls.get_changes)
    get_change = _async_call(calls.get_change)
    get_credentials = _async_call(calls.get_credentials)
    list_events = _async_list(calls.list_events)
    stream_events = _async_stream(calls.stream_events)
    get_event = _async_call(calls.get_event)
    redeliver_event = _async_call(calls.redeliver_event)
    test_webhook = _async_call(calls.test_webhook)
    probe_signature = _async_call(calls.probe_signature)
    simulate_withdrawal = _async_call(calls.simulate_withdrawal)
    simulate_deposit = _async_call(calls.simulate_deposit)
    simulate_deposit_reversal = _async_call(calls.simulate_deposit_reversal)
    simulate_quote_expiry = _async_call(calls.simulate_quote_expiry)
    simulate_event = _async_call(calls.simulate_event)
    simulate_market = _async_call(calls.simulate_market)
    simulate_prices = _async_call(calls.simulate_prices)
    simulate_failure = _async_call(calls.simulate_failure)
    simulate_webhooks = _async_call(calls.simulate_webhooks)
    get_simulations = _async_call(calls.get_simulations)
    reset_simulations = _async_call(calls.reset_simulations)


def _require_open(http: httpx.Client | httpx.AsyncClient) -> None:
    if http.is_closed:
        raise GoldError("argument_invalid", "The client is closed; open a new one.")


def _request(step: Send) -> dict[str, Any]:
    timeout = httpx.Timeout(step.timeout_seconds)
    if step.streams:
        timeout.read = SILENCE_SECONDS
    return {
        **{"method": step.method, "url": step.url, "headers": step.headers},
        **{"content": step.body, "timeout": timeout},
    }


def _is_open_stream(response: httpx.Response) -> bool:
    media_type = response.headers.get("Content-Type", "").partition(";")[0]
    return not response.is_closed and response.is_success and media_type == "text/event-stream"


def _reply(response: httpx.Response) -> Reply:
    if _is_open_stream(response):
        return Reply(response.status_code, response.headers, b"", opened=response)
    return Reply(response.status_code, response.headers, response.content)


def _send_error(error: httpx.HTTPError) -> SendError:
    message = str(error) or type(error).__name__
    return SendError(
        message,
        unsent=isinstance(error, UNSENT),
        untrusted=_is_untrusted(error),
        timed_out=isinstance(error, httpx.TimeoutException),
    )


def _is_untrusted(error: BaseException | None) -> bool:
    """Looks for a certificate that this side refused, or for an alert of the other side, among the causes."""
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return True
        if isinstance(error, ssl.SSLError) and CERTIFICATE_ALERT.search(error.reason or ""):
            return True
        error = error.__cause__ or error.__context__
    return False
