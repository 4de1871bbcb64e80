"""Checks an OpenAPI 3.1 document from standard input with external validators.

openapi-spec-validator checks the document's structure. jsonschema-rs checks every example against its schema.
Prints the number of examples to stdout and the errors to stderr. Exits with 1 if there is an error.
"""

import json
import sys

import jsonschema_rs
from openapi_spec_validator import OpenAPIV31SpecValidator

document = json.load(sys.stdin)
components = document["components"]
faults = []
seen = 0


def resolve(node):
    while "$ref" in node:
        kind, name = node["$ref"].split("/")[-2:]
        node = components[kind][name]
    return node


def judge(schema, value, place):
    global seen
    seen += 1
    whole = {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "components": components}
    for error in jsonschema_rs.validator_for(whole, validate_formats=True).iter_errors(value):
        faults.append(f"{place}: {error.message}")


def judge_content(content, place):
    for media_type, media in content.items():
        schema = media.get("schema", {})
        if "example" in media:
            judge(schema, media["example"], f"{place} {media_type}")
        for name, example in media.get("examples", {}).items():
            judge(schema, resolve(example)["value"], f"{place} {media_type} {name}")


def judge_operation(operation, place):
    for parameter in operation.get("parameters", []):
        examples = parameter["schema"].get("examples", [])
        for example in [parameter["example"]] if "example" in parameter else examples:
            judge(parameter["schema"], example, f"{place} {parameter['name']}")
    judge_content(operation.get("requestBody", {}).get("content", {}), f"{place} request")
    for status, response in operation["responses"].items():
        response = resolve(response)
        judge_content(response.get("content", {}), f"{place} {status}")
        for name, header in response.get("headers", {}).items():
            header = resolve(header)
            judge(header["schema"], header["example"], f"{place} {status} {name}")


faults.extend(error.message.splitlines()[0] for error in OpenAPIV31SpecValidator(document).iter_errors())
for paths in (document["paths"], document["webhooks"]):
    for path, methods in paths.items():
        for method, operation in methods.items():
            judge_operation(operation, f"{method} {path}")

for fault in faults:
    print(fault, file=sys.stderr)
print(seen)
sys.exit(1 if faults else 0)
