"""Fills the templates of pages: what comes from elsewhere is escaped, and a value that is missing is an error."""

import re
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from respmark.escaping import CODE_SPAN, line

PAGE: Final = Path(__file__).parent / "page"
"""Templates, style and scripts."""
BEFORE_OPTIONS: Final = re.compile(r"(?=\[)")
LONGEST_WORD: Final = 40
"""Longer ones, such as addresses, may be broken."""


def filled(template: str, **values: Any) -> str:  # noqa: ANN401 - what a template shows
    """Return a template with these values, and with the style that all pages share."""
    environment = Environment(
        loader=FileSystemLoader(PAGE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=harmless,
    )
    environment.filters["prose"] = prose
    style = Markup(read("style.css"))  # noqa: S704 - our own file
    return environment.get_template(template).render(style=style, **values)


def read(name: str) -> str:
    """Return a file of the page."""
    return (PAGE / name).read_text(encoding="utf-8")


def harmless(value: Any) -> Any:  # noqa: ANN401 - any JSON, and what a template shows
    """Return a value whose texts are harmless when displayed; markup is our own."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return line(value)
    if isinstance(value, dict):
        return {line(str(key)): harmless(one) for key, one in value.items()}
    return [harmless(one) for one in value] if isinstance(value, list | tuple) else value


def prose(text: str) -> Markup:
    """Return text as HTML: what stands between backticks is code, and no word is broken within."""
    parts = CODE_SPAN.split(line(text))
    # Every second part is code, between its backticks.
    made = (
        Markup("<code>{}</code>").format(_whole_words(part[1:-1])) if number % 2 else _whole_words(part)
        for number, part in enumerate(parts)
    )
    return Markup().join(made)


def _whole_words(text: str) -> Markup:
    return Markup(" ").join(map(_whole_word, text.split(" ")))


def _whole_word(word: str) -> Markup | str:
    """Return a word that a browser does not break at its hyphens; a client's name may break before its options."""
    if word.isalnum() or len(word) > LONGEST_WORD:
        return word
    parts = (Markup('<span class="w">{}</span>').format(part) for part in BEFORE_OPTIONS.split(word) if part)
    return Markup("<wbr>").join(parts)
