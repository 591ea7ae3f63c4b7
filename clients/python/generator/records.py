"""Makes Python's types of an OpenAPI document: dataclasses of what the server answers, typed dictionaries of what it is asked."""

import json
import re
import textwrap

# Schemas that this package gives to whoever uses it; what they are made of comes along.
RECORDS = (
    "VoiceConversion Separation VoiceBlend VoiceTraining LiveConversion VoiceModel VoiceModelWithTerms ImportedVoiceModel Effect "
    "Pipeline Webhook WebhookDelivery Peaks"
).split()
# Answers that have no name in the document.
ANSWERS = {"getMe": "Me", "getUsage": "Usage", "getTrainingConsent": "ConsentStatement", "createWebhook": "WebhookWithSecret"}
# What may be given with a request, beside what must be.
OPTIONS = {
    "createVoiceConversion": "ConversionOptions",
    "createVocalSeparation": "SeparationOptions",
    "createStemSplit": "SplitOptions",
    "createVoiceBlend": "BlendOptions",
    "createVoiceTraining": "TrainingOptions",
    "createLiveConversion": "LiveOptions",
    "renderLiveConversion": "RenderOptions",
    "importVoiceModel": "VoiceImport",
    "changeOwnVoiceModel": "VoiceChanges",
    "changeWebhook": "WebhookChanges",
}
# Parts of requests. They go as they are, so that their names stay.
PARTS = ("Chain", "EffectsByName", "EffectList", "ListedEffect", "SavedChain")

HEAD = '''"""What the server answers and what it can be asked. Made of its description by the generator: do not edit."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Union

from ._records import Record
from ._source import FileInput

if TYPE_CHECKING:
    from typing_extensions import Required
'''

PLAIN = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}


def types_of(document: dict) -> str:
    """The module `types` for a description."""
    module = Module(document["components"]["schemas"])
    operations = {
        operation["operationId"]: operation
        for path in document["paths"].values()
        for operation in path.values()
        if isinstance(operation, dict) and "operationId" in operation
    }
    for name in RECORDS:
        module.named(name)
    for id, name in ANSWERS.items():
        (answer,) = (value for status, value in operations[id]["responses"].items() if status in ("200", "201"))
        module.record(name, answer["content"]["application/json"]["schema"])
    for id, name in OPTIONS.items():
        content = operations[id]["requestBody"]["content"]
        body = content.get("multipart/form-data") or content["application/json"]
        module.options(name, body["schema"], operations[id]["summary"])
    return HEAD + "".join(f"\n\n{text}" for text in module.classes.values())


class Module:
    """The classes so far, by name, and the shapes that they were made of."""

    def __init__(self, schemas: dict) -> None:
        self.schemas = schemas
        self.classes: dict[str, str] = {}
        self.shapes: dict[str, str] = {}

    def named(self, name: str) -> str:
        """The type for a schema of the document."""
        if name not in self.shapes:
            schema = self.schemas[name]
            if name in PARTS:
                self.part(name, schema)
            else:
                self.record(name, schema)
        return name

    def record(self, name: str, schema: dict) -> str:
        """A dataclass for an object that the server answers."""
        self.shapes[name] = json.dumps(schema, sort_keys=True)
        lines = []
        for key, value in sorted(schema["properties"].items(), key=lambda item: item[0] not in required(schema)):
            hint = self.hint(value, name, key)
            if key not in required(schema):
                hint = f"{hint} = None" if hint.endswith("None") else f"{hint} | None = None"
            lines += [f"    {snake(key)}: {hint}", *said(value)]
        self.add(name, f"@dataclass(frozen=True, kw_only=True)\nclass {name}(Record):", said(schema), lines)
        return name

    def options(self, name: str, schema: dict, summary: str) -> None:
        """A dictionary with types for what may be given by name."""
        lines = []
        for key, value in schema["properties"].items():
            if key not in required(schema):
                assert camel(snake(key)) == key, key
                lines += [f"    {snake(key)}: {self.hint(value, name, key)}", *said(value)]
        self.add(name, f"class {name}(TypedDict, total=False):", said({"description": f"{summary}: what may be given."}), lines)

    def part(self, name: str, schema: dict) -> str:
        """A type for a part of a request."""
        self.shapes[name] = json.dumps(schema, sort_keys=True)
        if "properties" not in schema:
            hint = self.hint(schema, name, "", is_part=True)
            self.classes[name] = f"{name} = {as_alias(hint)}\n"
            return name
        lines = []
        for key, value in schema["properties"].items():
            hint = self.hint(value, name, key, is_part=True)
            lines += [f"    {key}: {f'Required[{hint}]' if key in required(schema) else hint}", *said(value)]
        self.add(name, f"class {name}(TypedDict, total=False):", said(schema), lines)
        return name

    def add(self, name: str, head: str, words: list[str], fields: list[str]) -> None:
        # What a class needs was added while its fields were looked at, so it stands before it.
        self.classes[name] = "\n".join([head, *words, *([""] if words else []), *fields]) + "\n"

    def inner(self, schema: dict, owner: str, key: str, is_part: bool) -> str:
        """A class for an object within another: named by its field, or by both where others have that name."""
        short = key[:1].upper() + key[1:]
        shape = json.dumps(schema, sort_keys=True)
        for name in (short, owner + short):
            if self.shapes.get(name) == shape:
                return name
            if name not in self.shapes and name not in self.schemas:
                return (self.part if is_part else self.record)(name, schema)
        raise ValueError(f"two things are called {owner + short}")

    def hint(self, schema: dict, owner: str, key: str, is_part: bool = False) -> str:
        """The type of a field."""
        if "$ref" in schema:
            return self.named(schema["$ref"].rsplit("/", 1)[-1])
        variants = schema.get("anyOf") or schema.get("oneOf")
        if variants:
            hints = [self.hint(one, owner, key, is_part) for one in variants]
            return union(hints)
        words = [schema["const"]] if "const" in schema else schema.get("enum")
        if words:
            return f"Literal[{', '.join(json.dumps(word) if word is not None else 'None' for word in words)}]"
        kinds = schema.get("type", [])
        kinds = [kinds] if isinstance(kinds, str) else kinds
        return union([self.of_type(kind, schema, owner, key, is_part) for kind in kinds]) if kinds else "Any"

    def of_type(self, kind: str, schema: dict, owner: str, key: str, is_part: bool) -> str:
        if kind == "array":
            return f"list[{self.hint(schema.get('items', {}), owner, key.removesuffix('s'), is_part)}]"
        if kind == "object" and "properties" in schema:
            return self.inner({**schema, "type": "object"}, owner, key, is_part)
        if kind == "object":
            more = schema.get("additionalProperties")
            return f"dict[str, {self.hint(more, owner, key, is_part) if isinstance(more, dict) else 'Any'}]"
        if kind == "string" and schema.get("format") == "binary":
            return "FileInput"
        if kind == "string" and "\\+00:00" in schema.get("pattern", ""):
            return "datetime"
        return PLAIN[kind]


def union(hints: list[str]) -> str:
    """One of several types, `None` last."""
    parts = dict.fromkeys(part for hint in hints for part in variants_of(hint))
    return " | ".join(sorted(parts, key=lambda part: part == "None"))


def variants_of(hint: str) -> list[str]:
    """The types of a union, but not those within the brackets of another type."""
    return re.findall(r"(?:[^\[\]| ]|\[(?:[^\[\]]|\[(?:[^\[\]]|\[[^\[\]]*\])*\])*\])+", hint)


def as_alias(hint: str) -> str:
    """A type as an expression that every version of Python can work out."""
    parts = variants_of(hint)
    return f"Union[{', '.join(json.dumps(part) for part in parts)}]" if len(parts) > 1 else hint


def said(schema: dict) -> list[str]:
    """The words of the description, as a string below what they are about."""
    text = schema.get("description", "")
    if not text:
        return []
    text = text.replace("\\", "\\\\").replace('"""', "'''")
    lines = textwrap.wrap(text, 112, break_long_words=False, break_on_hyphens=False)
    lines[0] = f'"""{lines[0]}'
    lines[-1] += '"""' if not lines[-1].endswith('"') else ' """'
    return [f"    {line}" for line in lines]


def required(schema: dict) -> list[str]:
    return schema.get("required", [])


def snake(name: str) -> str:
    return re.sub("([A-Z])", r"_\1", name).lower()


def camel(name: str) -> str:
    return re.sub("_([a-z])", lambda found: found[1].upper(), name)
