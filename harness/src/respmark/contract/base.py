"""What every message has in common."""

from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

SCHEMA_VERSION: Final = 2
"""Version of every message and file format; a reader refuses a newer one."""

SchemaVersion = Annotated[int, Field(ge=1, le=SCHEMA_VERSION, description="Version of this format.")]
Count = Annotated[int, Field(ge=0)]
PositiveCount = Annotated[int, Field(ge=1)]
Nanoseconds = Annotated[int, Field(ge=0)]
Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Message(BaseModel):
    """A frozen record that refuses fields it does not know."""

    # Most commands need few of the many messages: what validates one is made when it is first needed.
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)
