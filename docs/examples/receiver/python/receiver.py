"""Receives webhooks in Python 3.9 or newer with the package of Standard Webhooks.

To install the package: pip install standardwebhooks==1.1.0
"""

import errno
import os
import ssl
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from standardwebhooks import Webhook, WebhookVerificationError

CLIENT_ID = os.environ["CLIENT_ID"]
BODY_MAX_BYTES = 65_536

# A real receiver keeps these in its database: the stored events, and which of them it has processed.
waiting = {}
processed = set()
start = int(os.environ.get("LAST_SEQUENCE", "0"))
lock = threading.Lock()


def verify(body, headers):
    """Returns the event if one of the active secrets signed it and it was sent to this partner.

    The secrets are read for each delivery, so that a rotation needs no restart.
    """
    for secret in Path(os.environ["WEBHOOK_SECRETS_FILE"]).read_text().split():
        webhook = Webhook(secret)
        try:
            event = webhook.verify(body, headers)
        except (WebhookVerificationError, ValueError):  # ValueError: a malformed header or body
            continue
        # Services before 0.7.0 do not name the partner.
        return event if event.get("client_id", CLIENT_ID) == CLIENT_ID else None
    return None


def store(event):
    """Stores an event once.

    A sequence number belongs to one event, so it identifies a repeated delivery, as the id does.
    """
    with lock:
        if is_processed(event["sequence"]) or event["sequence"] in waiting:
            return
        waiting[event["sequence"]] = event
        if not is_processed(previous_of(event)):
            print(f"{event['sequence']} waits for {previous_of(event)}", flush=True)


def previous_of(event):
    """Returns the number of the event to process before this one; 0 for none.

    Services before 0.7.0 do not name it.
    """
    return event.get("previous_sequence", event["sequence"] - 1) or 0


def is_processed(sequence):
    return sequence <= start or sequence in processed


def work():
    """Processes each stored event whose previous event is processed, in order of their sequence numbers."""
    with lock:
        for sequence, event in sorted(waiting.items()):
            if is_processed(previous_of(event)):
                print(f"{sequence} {event['type']} {event['id']}", flush=True)
                processed.add(sequence)
                del waiting[sequence]


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 60  # seconds; a connection that is silent for longer is closed

    def do_POST(self):
        length = self.headers.get("content-length", "")
        if not length.isdigit() or int(length) > BODY_MAX_BYTES:
            self.close_connection = True  # otherwise, the unread body would be parsed as the next request
            return self.answer(413)
        event = verify(self.rfile.read(int(length)), dict(self.headers))
        if event is None:
            return self.answer(400)
        store(event)
        # Answer before processing the event. A delivery without an answer within 15 seconds fails and is sent
        # again.
        self.answer(200)
        work()

    def answer(self, status):
        self.send_response(status)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    host, port = os.environ["RECEIVER_LISTEN"].split(":")
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(os.environ["CERTIFICATE_FILE"], os.environ["KEY_FILE"])
    try:
        server = ThreadingHTTPServer((host, int(port)), Receiver)
    except OSError as error:
        taken = f"{host}:{port} is taken by another program; end that program, or set another port."
        sys.exit(f"The receiver cannot listen: {taken if error.errno == errno.EADDRINUSE else error}")
    # Each connection's own thread does its handshake. Otherwise one silent client would block all others.
    server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    print(f"listening on {host}:{server.server_port}", flush=True)
    server.serve_forever()
