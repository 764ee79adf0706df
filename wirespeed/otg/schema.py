"""Common base of all objects of the model: checked, with the model's defaults; unknown members are refused by name, so
that no request is ignored."""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from wirespeed.otg.faults import ModelFault

_M = TypeVar("_M", bound=BaseModel)

Name = Annotated[str, Field(min_length=1, max_length=200)]
Absent = Annotated[tuple[Any, ...], Field(max_length=0)]
"""Features that are not supported; an empty list requests nothing."""

Count = Annotated[int, Field(ge=1, lt=1 << 63)]
Positive = Annotated[float, Field(gt=0, le=1e15, allow_inf_nan=False)]
NotNegative = Annotated[float, Field(ge=0, le=1e15, allow_inf_nan=False)]


class Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


def read(kind: type[_M], given: Any, path: str = "") -> _M:
    """The checked object; ModelFault names the first place that is wrong, below `path`."""
    try:
        return kind.model_validate(given)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_context=False)[0]
        text = fault["msg"][:200]
        extra = fault["type"] == "extra_forbidden"
        filled = fault["type"] == "too_long" and isinstance(fault["input"], list)
        turned_on = fault["type"] == "literal_error" and fault["input"] is True
        if extra or filled or turned_on:
            text = "is not supported by this generator; leave it out"
        raise ModelFault(_path_of(path, fault["loc"]), text) from None


def _path_of(path: str, places: tuple[int | str, ...]) -> str:
    text = path + "".join(f"[{place}]" if isinstance(place, int) else f".{place}" for place in places)
    return text.removeprefix(".")
