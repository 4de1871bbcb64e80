"""Lets Schemathesis call the API as a partner.

The calls have a token, signatures, and a new idempotency key for every write. This module is written like a
partner's client, with the `cryptography` package. It shares no code with the service.

The environment variables GOLD_CREDENTIALS and OPENAPI name input files. At exit, the module writes the number
of replies for each operation and status to the file that ANSWERS_FILE names.
"""

import atexit
import base64
import collections
import functools
import hashlib
import json
import math
import os
import re
import threading
import time
import uuid
from urllib.parse import quote_plus

import requests
import schemathesis
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils

TOKEN_REFRESH_SECONDS = 400
SCALAR_BYTES = 32
HEADER = b'{"alg":"ES256","b64":false,"crit":["b64"]}'

with open(os.environ["GOLD_CREDENTIALS"], encoding="utf-8") as file:
    partner = json.load(file)
with open(os.environ["OPENAPI"], encoding="utf-8") as file:
    document = json.load(file)
with open(partner["signing_key"], "rb") as file:
    signing_key = serialization.load_pem_private_key(file.read(), None)

session = requests.Session()
session.cert = (partner["cert"], partner["key"])
session.verify = partner["ca"]


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def sign(text):
    """Returns a detached JWS with an unencoded payload (RFC 7797)."""
    protected = base64url(HEADER)
    der = signing_key.sign(f"{protected}.{text}".encode(), ec.ECDSA(hashes.SHA256()))
    scalars = (number.to_bytes(SCALAR_BYTES, "big") for number in utils.decode_dss_signature(der))
    return f"{protected}..{base64url(b''.join(scalars))}"


class Token:
    """Holds one access token for all threads. A thread that finds the token too old fetches a new token."""

    def __init__(self):
        self.lock = threading.Lock()
        self.value, self.fetched_at = None, -math.inf

    def get(self):
        with self.lock:
            if time.monotonic() - self.fetched_at > TOKEN_REFRESH_SECONDS:
                form = {name: partner[name] for name in ("client_id", "client_secret")}
                reply = session.post(
                    f"{partner['base_url']}/oauth/token", {"grant_type": "client_credentials", **form}
                )
                reply.raise_for_status()
                self.value, self.fetched_at = reply.json()["access_token"], time.monotonic()
            return self.value


token = Token()


def described(path, method):
    """Returns the operation from the OpenAPI document, or an empty object if the document has none."""
    return document["paths"].get(path, {}).get(method.lower(), {})


def template_of(path):
    """Returns the path template of the OpenAPI document that matches the path, or else the path itself."""
    forms = {one: re.sub(r"\\{[a-z_]+\\}", "[^/]+", re.escape(one)) for one in document["paths"]}
    return next((one for one, form in forms.items() if re.fullmatch(form, path)), path)


def as_text(value):
    return value.decode("latin-1") if isinstance(value, bytes) else value


# The generator sends the examples of the OpenAPI document as they are. PartnerAuth replaces the values below
# with this partner's values.
(form_example,) = described("/oauth/token", "post")["requestBody"]["content"][
    "application/x-www-form-urlencoded"
]["examples"].values()
EXAMPLE_IDS = set(re.findall(r'"((?:wd|fnd|qt)_[0-9a-f-]{36})"', json.dumps(document)))
stand_ins = {name: quote_plus(form_example["value"][name]) for name in ("client_id", "client_secret")}
event_stand_in = described("/v1/events/{event_id}", "get")["parameters"][0]["example"]
order_stand_in = described("/v1/orders/{order_id}", "get")["parameters"][0]["example"]


@functools.cache
def own_event():
    """Creates a funding, so that this partner has an event, and returns an event's id."""
    url, headers = partner["base_url"], {"Authorization": f"Bearer {token.get()}"}
    key = {"Idempotency-Key": str(uuid.uuid4())}
    session.post(f"{url}/sandbox/fund", json={"amount_sar": 1000000}, headers=headers | key).raise_for_status()
    return session.get(f"{url}/v1/events", headers=headers).json()["items"][0]["id"]


def post(path, body):
    """Sends a signed write of this partner, and returns the reply."""
    text = json.dumps(body)
    stamps = [str(int(time.time())), uuid.uuid4().hex]
    digest = hashlib.sha256(text.encode()).hexdigest()
    headers = {
        "Authorization": f"Bearer {token.get()}",
        "Content-Type": "application/json",
        "Idempotency-Key": str(uuid.uuid4()),
        "X-Timestamp": stamps[0],
        "X-Nonce": stamps[1],
        "X-JWS-Signature": sign("\n".join(["POST", partner["base_url"] + path, digest, *stamps])),
    }
    reply = session.post(partner["base_url"] + path, data=text, headers=headers)
    reply.raise_for_status()
    return reply.json()


@functools.cache
def own_order():
    """Executes an order, and returns its id."""
    own_event()
    quote_id = post("/v1/quotes", {"side": "buy", "gold_grams": 1})["quote_id"]
    return post("/v1/orders", {"quote_id": quote_id})["order_id"]


# Some simulations settle a withdrawal, reverse a deposit or expire a quote. Such a record cannot be used
# twice, so each call gets a new record.
RECORDS = {
    "withdrawal_id": lambda: own_event() and post("/v1/withdrawals", {"amount_sar": 1}),
    "funding_id": lambda: post("/sandbox/simulate/deposit", {"amount_sar": 1}),
    "quote_id": lambda: post("/v1/quotes", {"side": "buy", "gold_grams": 1}),
}


def with_own_record(body):
    """Replaces the id of an example's record with the id of a new record of this partner."""
    try:
        members = json.loads(body)
        (name,) = members.keys() & RECORDS.keys()
    except (AttributeError, TypeError, ValueError):
        return body
    if not isinstance(members[name], str) or members[name] not in EXAMPLE_IDS:
        return body
    return json.dumps(members | {name: RECORDS[name]()[name]})


class PartnerAuth(requests.auth.AuthBase):
    """Replaces generated values with valid ones.

    Sets the access token on every call to /v1/ and /sandbox/. An idempotency key, timestamp, nonce or
    signature that is missing or malformed stays as it is.
    """

    def __call__(self, request):
        operation = described(template_of(request.path_url.split("?")[0]), request.method)
        parameters = operation.get("parameters", [])
        forms = {one["name"]: one["schema"].get("pattern", ".*") for one in parameters if one["in"] == "header"}

        def well_formed(name):
            value = request.headers.get(name)
            return name in forms and value is not None and re.fullmatch(forms[name], as_text(value))

        if request.path_url == "/oauth/token" and request.body:
            for name, stand_in in stand_ins.items():
                request.prepare_body(as_text(request.body).replace(stand_in, quote_plus(partner[name])), None)
        if request.path_url.startswith("/sandbox/simulate/") and request.body:
            request.prepare_body(with_own_record(as_text(request.body)), None)
        if event_stand_in in request.path_url:
            request.url = request.url.replace(event_stand_in, own_event())
        if order_stand_in in request.path_url:
            request.url = request.url.replace(order_stand_in, own_order())
        if request.path_url.startswith(("/v1/", "/sandbox/")):
            request.headers["Authorization"] = f"Bearer {token.get()}"
        if well_formed("Idempotency-Key"):
            request.headers["Idempotency-Key"] = str(uuid.uuid4())
        if well_formed("X-Timestamp"):
            request.headers["X-Timestamp"] = str(int(time.time()))
        if well_formed("X-Nonce"):
            request.headers["X-Nonce"] = uuid.uuid4().hex
        if well_formed("X-JWS-Signature"):
            body = request.body or b""
            body = body.encode() if isinstance(body, str) else body
            lines = [request.method, request.url, hashlib.sha256(body).hexdigest()]
            lines += [str(request.headers.get(name, "")) for name in ("X-Timestamp", "X-Nonce")]
            request.headers["X-JWS-Signature"] = sign("\n".join(lines))
        return request


schemathesis.auth.set_from_requests(PartnerAuth())

answers = collections.defaultdict(collections.Counter)


@schemathesis.hook
def after_call(context, case, response):
    answers[described(case.operation.path, case.method).get("operationId", "none")][response.status_code] += 1


@atexit.register
def tell_answers():
    with open(os.environ["ANSWERS_FILE"], "w", encoding="utf-8") as file:
        json.dump(answers, file)


@schemathesis.check
def documented_problem(ctx, response, case):
    """Checks that an error's code is documented for this operation and status."""
    if response.status_code < 400:
        return
    operation = described(case.operation.path, case.method)
    if not operation:
        return
    documented = operation["responses"].get(str(response.status_code), {})
    if "$ref" in documented:
        documented = document["components"]["responses"][documented["$ref"].split("/")[-1]]
    code = response.json()["code"]
    assert code in documented.get("x-problem-codes", []), f"{code} is not documented for status {response.status_code}"
