"""Removes passwords from text that is not ours.

Every password that this process knows is passed to `conceal`. From then on, `redacted` finds it in whatever a server, a
runner or a library says, including the forms in which programs write it.
"""

import base64
import html
import json
import re
from typing import Final
from urllib.parse import quote, quote_plus

HIDDEN: Final = "***"
USER_INFO: Final = re.compile(r"(?<=://)[^\s'\"`]*@")
"""From the scheme of a URL to its last `@`: a password that is not escaped may hold `/`, `?` and `#`."""
PARAMETER: Final = re.compile(r"(?i)([?&](?:[\w-]*pass\w*|auth|secret|token|pwd)=)[^&#\s'\"`]*")

_forms: set[str] = set()


def conceal(secret: str | None) -> None:
    """Remember a password for `redacted` to find from now on."""
    if secret:
        _forms.update(_written(secret))


def forget() -> None:
    """Forget all passwords, because a new command begins."""
    _forms.clear()


def redacted(text: str) -> str:
    """Return the text without any known password, whatever form it is written in."""
    for form in sorted(_forms, key=len, reverse=True):
        text = text.replace(form, HIDDEN)
    return text


def redacted_urls(text: str) -> str:
    """Return the text without what is before the `@` of a URL, and without passwords in its parameters."""
    return PARAMETER.sub(rf"\g<1>{HIDDEN}", USER_INFO.sub(f"{HIDDEN}@", text))


def _written(secret: str) -> set[str]:
    """Return the forms in which programs write a password."""
    raw = secret.encode("utf-8", "surrogatepass")
    percent = {quote(secret, safe="", errors="surrogatepass"), quote_plus(secret, errors="surrogatepass")}
    escaped = {json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1], html.escape(secret)}
    shown = {repr(secret)[1:-1], repr(raw)[2:-1], secret.replace("'", "\\'"), secret.replace('"', '\\"')}
    encoded = {
        code(text).decode().rstrip("=")
        for code in (base64.b64encode, base64.urlsafe_b64encode)
        for text in (raw, b":" + raw, b"default:" + raw)
    }
    return {secret, *percent, *(_lower_hex(form) for form in percent), *escaped, *shown, *encoded}


def _lower_hex(percent: str) -> str:
    return re.sub(r"%[0-9A-F]{2}", lambda found: found[0].lower(), percent)
