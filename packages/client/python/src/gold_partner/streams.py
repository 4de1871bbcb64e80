"""The logic of a stream, without input and output: it is the same for GoldClient and AsyncGoldClient."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from typing import Any, Generic, TypeVar, cast

from .error import GoldError
from .exchange import Call, Exchange, Pause, Pauses, Steps
from .failure import Reply

T = TypeVar("T")

#: The event name of a message that gives none.
DEFAULT = b""
END = b"end"


class StreamEnd(Exception):
    """The service ended the connection. The client opens the stream again, or gets the refusal with the reason."""


class Stream(Generic[T]):
    """A stream of server-sent events, over all the connections that it needs.

    `readers` has the event names that the client knows, each with the function that reads a message's data.
    `after` is the sequence of the last event that the caller has. A stream of prices has none.
    """

    def __init__(
        self,
        operation: str,
        path: str,
        readers: Mapping[bytes, Callable[[Reply], T]],
        after: int | None = None,
    ) -> None:
        self._operation, self._path, self._readers, self._after = operation, path, readers, after
        self._pauses, self._was_open = Pauses(), False
        self._rest, self._name, self._data = b"", DEFAULT, list[bytes]()

    def open(self, exchange: Exchange) -> Steps[Any]:
        """Opens the stream, or continues it after the last event. Returns the transport's response."""
        if self._was_open:
            yield Pause(self._pauses.next(None))
        # The last connection may have been lost in the middle of a message.
        self._rest, self._name, self._data = b"", DEFAULT, []
        target = self._path if self._after is None else f"{self._path}?after={self._after}"
        headers = {"Accept": "text/event-stream"}
        call = Call(self._operation, "GET", target, _read_opened, headers=headers, pauses=self._pauses)
        response = yield from exchange.run(call)
        self._was_open = True
        return response

    def receive(self, part: bytes) -> Iterator[T]:
        """Returns the values of the messages that this part completes. Raises StreamEnd or GoldError."""
        # Not splitlines(), which would also split at characters that JSON may contain, such as U+2028.
        *lines, self._rest = (self._rest + part).split(b"\n")
        for line in lines:
            name, colon, value = line.removesuffix(b"\r").partition(b":")
            value = value.removeprefix(b" ")
            if name == b"event":
                self._name = value
            elif name == b"data":
                self._data.append(value)
            elif name == b"" and colon:  # a comment
                self._pauses.count = 0
            elif name == b"":
                yield from self._read_message()

    def _read_message(self) -> Generator[T, None, None]:
        name, data = self._name, b"\n".join(self._data)
        self._name, self._data = DEFAULT, []
        if data == b"":
            return
        if name == END:
            raise StreamEnd
        self._pauses.count = 0
        read = self._readers.get(name)
        if read is None:  # The service may add names.
            return
        try:
            value = read(Reply(200, {}, data))
        except ValueError as cause:
            detail = f"A message of {self._operation} does not have the documented form: {cause}."
            raise GoldError("reply_invalid", detail) from cause
        if self._after is not None:
            self._after = cast(Any, value)["sequence"]
        yield value


def _read_opened(reply: Reply) -> Any:
    if reply.opened is None:
        media_type = reply.headers.get("Content-Type", "nothing")
        raise ValueError(f"Content-Type must be text/event-stream; got {media_type}")
    return reply.opened
