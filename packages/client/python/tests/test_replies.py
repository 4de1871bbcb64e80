"""Compares the types of the replies with the service's OpenAPI document, the file that GOLD_OPENAPI names."""

from __future__ import annotations

import inspect
import json
import os
import types
import typing
import unittest
from decimal import Decimal
from pathlib import Path
from typing import Any

from gold_partner import AsyncGoldClient, GoldClient, calls, replies
from gold_partner.exchange import Call
from gold_partner.streams import Stream

NAMES = {str: "string", int: "integer", Decimal: "number", bool: "boolean", types.NoneType: "null"}
#: Operations with another name in Python, and operations that a partner does not call or the client calls
#: itself.
RENAMED = {"place_order": "createOrder", "get_statement_csv": "getStatement"}
NOT_CALLED = {
    *(
        "issueToken",
        "getTokenKeys",
        "getAuthorizationServer",
        "getOpenApi",
        "getReference",
        "getErrorCatalogue",
    ),
}

#: The types of events also describe webhooks, which have these members more.
ONLY_IN_WEBHOOKS = {"previous_sequence", "client_id"}


class Replies(unittest.TestCase):
    def test_every_operation_has_a_method_with_the_type_of_its_reply(self) -> None:
        document = json.loads(Path(os.environ["GOLD_OPENAPI"]).read_text())
        operations = {
            operation["operationId"]: operation["responses"]
            for path in document["paths"].values()
            for operation in path.values()
        }
        called = set()
        for name, function in inspect.getmembers(calls, inspect.isfunction):
            if name.startswith("_") or function.__module__ != calls.__name__:
                continue
            self.assertTrue(hasattr(GoldClient, name) and hasattr(AsyncGoldClient, name), name)
            for client in (GoldClient, AsyncGoldClient):
                parameters = ["self", *inspect.signature(function).parameters]
                self.assertEqual(list(inspect.signature(getattr(client, name)).parameters), parameters)
            operation = RENAMED.get(name, camel_case(name))
            called.add(operation)
            media = next(iter(operations[operation]["200"]["content"].values()))
            result = typing.get_type_hints(function)["return"]
            reply = typing.get_args(result)[0]
            schema = media["schema"]
            if typing.get_origin(result) is Stream:  # The document describes its messages by another operation.
                self.assertEqual(shape_of_schema(schema, document), "string")
                continue
            if typing.get_origin(result) is not Call:  # a Listing
                schema = resolved(schema, document)["properties"]["items"]["items"]
            if reply is not str:  # the statement as CSV
                with self.subTest(name):
                    self.assertEqual(shape_of_type(reply), shape_of_schema(schema, document))
        self.assertEqual(called | NOT_CALLED, operations.keys())

    def test_an_event_has_the_members_of_webhooks(self) -> None:
        schemas = json.loads(Path(os.environ["GOLD_OPENAPI"]).read_text())["components"]["schemas"]
        webhook, reply = schemas["WebhookEvent"]["properties"], schemas["Event"]["properties"]
        self.assertEqual(webhook.keys() - reply.keys(), ONLY_IN_WEBHOOKS)
        hints = typing.get_type_hints(replies.OrderEvent, include_extras=True)
        for name in ONLY_IN_WEBHOOKS:
            shape = shape_of_schema(webhook[name], {"components": {"schemas": schemas}})
            self.assertEqual(shape_of_type(hints[name]), shape)


def camel_case(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def shape_of_type(reply: Any) -> Any:
    """Returns what a type and a schema have in common: members, which of them are optional, types and values."""
    origin, arguments = typing.get_origin(reply), typing.get_args(reply)
    if reply in NAMES:
        return NAMES[reply]
    if origin is typing.Literal:
        return sorted(arguments)
    if origin is typing.NotRequired:
        return shape_of_type(arguments[0])
    if origin is list:
        return {"items": shape_of_type(arguments[0])}
    if origin in (types.UnionType, typing.Union):
        return one_of([shape_of_type(argument) for argument in arguments])
    hints = typing.get_type_hints(reply, include_extras=True)
    if ONLY_IN_WEBHOOKS <= hints.keys():
        hints = {name: hint for name, hint in hints.items() if name not in ONLY_IN_WEBHOOKS}
    return {
        "members": {name: shape_of_type(hint) for name, hint in hints.items()},
        "optional": sorted(
            name
            for name, hint in hints.items()
            # Replies always have the delivery; the same type describes webhooks, which do not have it.
            if typing.get_origin(hint) is typing.NotRequired and name != "delivery"
        ),
    }


def shape_of_schema(schema: dict[str, Any], document: dict[str, Any]) -> Any:
    schema = resolved(schema, document)
    for alternatives in (schema.get("oneOf"), schema.get("anyOf"), known_events(schema, document)):
        if alternatives:
            return one_of([shape_of_schema(each, document) for each in alternatives])
    if "const" in schema or "enum" in schema:
        return sorted(schema.get("enum", [schema.get("const")]))
    if isinstance(schema["type"], list):
        return one_of(schema["type"])
    if schema["type"] == "array":
        return {"items": shape_of_schema(schema["items"], document)}
    if schema["type"] != "object":
        return schema["type"]
    properties = schema["properties"]
    return {
        "members": {name: shape_of_schema(member, document) for name, member in properties.items()},
        "optional": sorted(properties.keys() - schema["required"]),
    }


def known_events(schema: dict[str, Any], document: dict[str, Any]) -> list[dict[str, Any]]:
    """Returns a schema for each kind of event that is known today, by its subject. Empty for another schema."""
    subjects, parts = schema.get("x-subjects", {}), schema.get("x-subject-members", {})
    kinds: dict[str, list[str]] = {}
    for event_type, subject in subjects.items():
        kinds.setdefault(json.dumps([subject, parts.get(event_type)]), []).append(event_type)
    found = []
    for kind, event_types in kinds.items():
        subject, part = json.loads(kind)
        data = resolved(schema["properties"]["data"], document)["properties"]
        own = {name: data[name] for name in (subject, "chain_head") if name is not None}
        if part is not None:
            members = resolved(data[subject], document)["properties"]
            properties = {name: members[name] for name in part}
            own[subject] = {"type": "object", "properties": properties, "required": part}
        narrowed = {
            "type": {"enum": event_types},
            "data": {"type": "object", "properties": own, "required": list(own)},
        }
        found.append({**schema, "x-subjects": {}, "properties": {**schema["properties"], **narrowed}})
    return found


def one_of(shapes: list[Any]) -> Any:
    ordered = sorted(shapes, key=lambda shape: json.dumps(shape, sort_keys=True))
    return shapes[0] if len(shapes) == 1 else {"one_of": ordered}


def resolved(schema: dict[str, Any], document: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return schema
