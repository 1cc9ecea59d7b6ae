"""The OpenAPI 3.1 document, made from the operations and their records."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from lycosa import __version__
from lycosa.web.rest.operations import API, JSON, Operation
from lycosa.web.rest.problems import MEDIA_TYPE
from lycosa.web.rest.records import Problem

_REF = "#/components/schemas/{name}"
_PROBLEMS = {
    "400": "The request does not fit this document.",
    "401": "The token is missing or wrong.",
    "403": "The host, the origin or the site of the request is refused.",
    "404": "The named thing does not exist.",
    "409": "The state of the crawl does not allow it.",
    "413": "The request or its answer is too long.",
    "415": "The body is not JSON.",
    "422": "The request is understood but cannot be carried out; `detail` gives the reason.",
    "500": "The server failed.",
    "503": "The request took too long, or too many arrived at the same time.",
}
_IDEMPOTENCY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "An id of your choice. A second request with the same id changes nothing more.",
    "schema": {"type": "string", "maxLength": 200, "pattern": "^[!-~]*$"},
}


def document(operations: list[Operation]) -> dict[str, Any]:
    """Return the document."""
    records = _records(operations)
    schemas, components = msgspec.json.schema_components(records, ref_template=_REF)
    by_record = dict(zip(map(id, records), schemas, strict=True))
    paths: dict[str, dict[str, Any]] = {}
    for operation in operations:
        paths.setdefault(API + operation.path, {})[operation.method.lower()] = _operation(
            operation, by_record, components
        )
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Lycosa",
            "version": __version__,
            "description": "Read and steer crawls. Errors are RFC 9457 problems.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _records(operations: list[Operation]) -> list[Any]:
    found: list[Any] = [Problem]
    for operation in operations:
        for record in (operation.answer, operation.body, operation.query):
            if record is not None and not any(record is known for known in found):
                found.append(record)
    return found


def _operation(
    operation: Operation, schemas: dict[int, Any], components: dict[str, Any]
) -> dict[str, Any]:
    told: dict[str, Any] = {
        "operationId": operation.name,
        "summary": operation.summary,
        "parameters": [*_path_parameters(operation), *_query_parameters(operation, components)],
        "responses": _responses(operation, schemas),
    }
    if operation.is_order:
        told["parameters"].append(_IDEMPOTENCY)
    if operation.body is not None:
        content = {JSON: {"schema": schemas[id(operation.body)]}}
        told["requestBody"] = {"required": True, "content": content}
    return told


def _path_parameters(operation: Operation) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "in": "path",
            "required": True,
            "schema": {"type": "string", "minLength": 1},
        }
        for name in re.findall(r"\{(\w+)", operation.path)
    ]


def _query_parameters(operation: Operation, components: dict[str, Any]) -> list[dict[str, Any]]:
    if operation.query is None:
        return []
    schema = components[operation.query.__name__]
    required = schema.get("required", [])
    return [
        {"name": name, "in": "query", "required": name in required, "schema": of_name}
        for name, of_name in schema["properties"].items()
    ]


def _responses(operation: Operation, schemas: dict[int, Any]) -> dict[str, Any]:
    content: dict[str, Any] = {}
    if operation.answer is not None:
        content[JSON] = {"schema": schemas[id(operation.answer)]}
    for media_type in operation.media_types:
        content[media_type] = {"schema": {"type": "string"}}
    refused = {MEDIA_TYPE: {"schema": schemas[id(Problem)]}}
    return {
        str(operation.status): {"description": "Done.", "content": content},
        **{status: {"description": text, "content": refused} for status, text in _PROBLEMS.items()},
    }
