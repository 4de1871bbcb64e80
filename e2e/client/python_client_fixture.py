"""python_client_fixture.py sync|async CREDENTIALS PLAN: runs one client of the Python package.

Each line on stdin is a call, such as {"id": 1, "call": "place_order", "with": {"quote_id": "qt_…"}}. The
asynchronous client also takes {"cancel": 1}, which cancels the call with this id. Calls run concurrently.
A call of a stream has "take", the number of values after which the iterator is closed.
Prints a line for each result and for each report of a try.
PLAN is a JSON object: settings of the client, `port` of another entry point to the service, and
`ahead_seconds`, by which the client's clock is ahead.
"""

import asyncio
import contextlib
import dataclasses
import itertools
import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
from gold_partner import AsyncGoldClient, GoldClient, GoldError, Settings, TryReport
from gold_partner.settings import tls_context


def show(line: dict[str, Any]) -> None:
    print(json.dumps(line, default=str) + "\n", end="", flush=True)


def show_report(report: TryReport) -> None:
    show({"report": dataclasses.asdict(report)})


def describe(error: GoldError) -> dict[str, Any]:
    return {**dataclasses.asdict(error), "message": str(error)}


class Rerouted(httpx.HTTPTransport):
    """Sends requests to another port. Signatures still cover the original base URL."""

    port: int | None = None

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        request.url = request.url.copy_with(port=self.port)
        return super().handle_request(request)


class AsyncRerouted(httpx.AsyncHTTPTransport):
    port: int | None = None

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        request.url = request.url.copy_with(port=self.port)
        return await super().handle_async_request(request)


def run_sync(settings: Settings, port: int | None) -> None:
    transport = None if port is None else Rerouted(verify=tls_context(settings))
    if transport:
        transport.port = port

    def call(client: GoldClient, line: dict[str, Any]) -> None:
        try:
            result = getattr(client, line["call"])(**line["with"])
            if line["call"].startswith("list_"):
                result = list(result)
            elif "take" in line:
                with contextlib.closing(result) as values:
                    result = list(itertools.islice(values, line["take"]))
            show({"id": line["id"], "result": result})
        except GoldError as error:
            show({"id": line["id"], "error": describe(error)})

    with GoldClient(settings, transport=transport) as client, ThreadPoolExecutor(200) as pool:
        running = [pool.submit(call, client, json.loads(line)) for line in sys.stdin]
        for each in running:
            each.result()


async def run_async(settings: Settings, port: int | None) -> None:
    transport = None if port is None else AsyncRerouted(verify=tls_context(settings))
    if transport:
        transport.port = port

    async def call(client: AsyncGoldClient, line: dict[str, Any]) -> None:
        try:
            result = getattr(client, line["call"])(**line["with"])
            if line["call"].startswith("list_"):
                result = [item async for item in result]
            elif "take" in line:
                async with contextlib.aclosing(result) as values:
                    result = [await anext(values) for _ in range(line["take"])]
            else:
                result = await result
            show({"id": line["id"], "result": result})
        except GoldError as error:
            show({"id": line["id"], "error": describe(error)})
        except asyncio.CancelledError:
            show({"id": line["id"], "result": "cancelled"})

    running: dict[int, asyncio.Task[None]] = {}
    async with AsyncGoldClient(settings, transport=transport) as client:
        while text := await asyncio.to_thread(sys.stdin.readline):
            line = json.loads(text)
            if "cancel" in line:
                running[line["cancel"]].cancel()
            else:
                running[line["id"]] = asyncio.create_task(call(client, line))
        await asyncio.gather(*running.values())


def main(kind: str, credentials: str, plan: str) -> None:
    options = json.loads(plan)
    port, ahead_seconds = options.pop("port", None), options.pop("ahead_seconds", 0)
    now = (lambda: time.time() + ahead_seconds) if ahead_seconds else time.time
    settings = dataclasses.replace(
        Settings.from_credentials(credentials), observe=show_report, now=now, **options
    )
    if kind == "sync":
        run_sync(settings, port)
    else:
        asyncio.run(run_async(settings, port))


if __name__ == "__main__":
    main(*sys.argv[1:])
