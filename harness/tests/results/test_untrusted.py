"""Numbers in files that are somebody else's."""

from pathlib import Path

import pytest

from respmark.errors import InvalidRequestError
from respmark.results.untrusted import read_json_bytes


@pytest.mark.parametrize(
    "content",
    [
        '{"image": "sha256:0e246"}',
        '{"image": "sha256:12345678901234567890"}',
        r'{"said": "it has \"quotes\", 1e999, and NaN"}',
        '{"ratio": 0.12345678901234567890, "ns": 999999999999999999, "small": 1e-300}',
    ],
)
def test_digits_in_a_text_are_no_number(tmp_path: Path, content: str) -> None:
    """An image's digest may begin with anything."""
    path = tmp_path / "manifest.json"
    path.write_text(content)
    assert read_json_bytes(path) == content.encode()


@pytest.mark.parametrize("number", ["1" * 19, "-" + "9" * 30, "1e999", "1E+100", "NaN", "-Infinity"])
@pytest.mark.parametrize("template", ['{{"a": {0}}}', "[{0}]", '{{"text": "x", "a":{0}}}', '["x",\n{0}]'])
def test_a_number_that_no_measurement_has_is_refused(tmp_path: Path, template: str, number: str) -> None:
    """Wherever it stands."""
    path = tmp_path / "manifest.json"
    path.write_text(template.format(number))
    with pytest.raises(InvalidRequestError, match="which is no figure of a measurement"):
        read_json_bytes(path)
