"""Names in their parts."""

import pytest

from respmark.errors import InvalidRequestError
from respmark.specs.names import Name, name_parts


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("redis-py", Name("redis-py")),
        ("redis-py@5.0[protocol=3,parser=python]", Name("redis-py", "5.0", settings="[protocol=3,parser=python]")),
        ("redis-py@file:../my fork[*]", Name("redis-py", "file:../my fork", settings="[*]")),
        ("node/*@*[*]", Name("*", "*", "node", "[*]")),
        ("./my-client@1.2", Name("./my-client", "1.2")),
        ("~/x[a=b]", Name("~/x", settings="[a=b]")),
    ],
)
def test_a_clients_name_has_parts_and_is_written_from_them(text: str, parts: Name) -> None:
    assert Name.of_client(text) == parts
    assert str(parts) == text
    assert parts.is_folder == text.startswith((".", "~"))


@pytest.mark.parametrize("text", ["", "a b", "redis-py[", "redis-py]", "redis-py[a=b]x", "@5"])
def test_what_is_no_clients_name_has_no_parts(text: str) -> None:
    """Files of a run may have any name."""
    assert Name.of_client(text) is None
    assert name_parts(text) == Name(text)


def test_settings_have_values() -> None:
    name = Name.parse("valkey@9.1[io-threads=2, save=60 1,]")
    assert name.base == "valkey@9.1"
    assert name.values == {"io-threads": "2", "save": "60 1"}
    with pytest.raises(InvalidRequestError, match=r"x\[a=1,b\]: `b` has no value; write b=VALUE"):
        _ = Name.parse("x[a=1,b]").values
