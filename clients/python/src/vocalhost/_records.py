"""How the JSON of an answer becomes objects with types."""

from __future__ import annotations

import dataclasses
import re
import types
import typing
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal, NamedTuple, TypeVar

T = TypeVar("T", bound="Record")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Record:
    """What every record has."""

    raw: Mapping[str, Any] = dataclasses.field(repr=False, compare=False, default_factory=dict)
    """The JSON as it came, with what a newer server says beyond the fields below."""


def snake(name: str) -> str:
    """`outputFileUrl` as `output_file_url`."""
    return re.sub("([A-Z])", r"_\1", name).lower()


def camel(name: str) -> str:
    """`output_file_url` as `outputFileUrl`."""
    return re.sub("_([a-z])", lambda found: found[1].upper(), name)


def decode(value: Any, hint: Any) -> Any:
    """`value` as the type `hint` has it. What does not fit stays as it came: a server that is newer may say more."""
    if value is None or hint is Any:
        return value
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        return _decode_one_of(value, typing.get_args(hint))
    if origin is list and isinstance(value, list):
        (item,) = typing.get_args(hint)
        return [decode(one, item) for one in value]
    if origin is dict and isinstance(value, dict):
        _, item = typing.get_args(hint)
        return {name: decode(one, item) for name, one in value.items()}
    if hint is datetime and isinstance(value, str):
        return _moment(value)
    if dataclasses.is_dataclass(hint) and isinstance(value, dict):
        return record(value, typing.cast("type[Record]", hint))
    return value


def record(value: Mapping[str, Any], kind: type[T]) -> T:
    """An object of JSON as a record. A field that an older server does not know is `None`."""
    known = {snake(name): one for name, one in value.items()}
    fields = {name: decode(known.get(name), field.hint) for name, field in _fields(kind).items() if name in known or field.is_required}
    return kind(**fields, raw=value)


def _decode_one_of(value: Any, hints: tuple[Any, ...]) -> Any:
    for hint in hints:
        if dataclasses.is_dataclass(hint) and isinstance(value, dict):
            if _is_like(value, typing.cast("type[Record]", hint)):
                return decode(value, hint)
        elif hint is datetime or typing.get_origin(hint) in (list, dict):
            decoded = decode(value, hint)
            if decoded is not value:
                return decoded
    return value


def _is_like(value: Mapping[str, Any], kind: type[Record]) -> bool:
    """Whether all fields are there, and those that can only have one word, which tell records apart, have it."""
    known = {snake(name): one for name, one in value.items()}
    for name, field in _fields(kind).items():
        if field.is_required and name not in known:
            return False
        words = typing.get_args(field.hint) if typing.get_origin(field.hint) is Literal else ()
        if len(words) == 1 and known.get(name) not in words:
            return False
    return True


class _Field(NamedTuple):
    hint: Any
    is_required: bool


# What was found out before: types are worked out once.
_FOUND: dict[object, dict[str, _Field]] = {}


def _fields(kind: type[Record]) -> dict[str, _Field]:
    if kind not in _FOUND:
        hints = typing.get_type_hints(kind)
        fields = [field for field in dataclasses.fields(kind) if field.name != "raw"]
        _FOUND[kind] = {field.name: _Field(hints[field.name], field.default is dataclasses.MISSING) for field in fields}
    return _FOUND[kind]


def _moment(text: str) -> datetime | str:
    try:
        return datetime.strptime(text, "%Y-%m-%d %H:%M:%S.%f %z")
    except ValueError:
        return text
