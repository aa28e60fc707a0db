"""Takes passwords out of text that is not ours.

Every password that this process knows is passed to `conceal`. From then on, `redacted` finds it in whatever a server, a
runner or a library says, in the forms in which programs write it.
"""

import base64
import html
import json
import re
from typing import Final
from urllib.parse import quote, quote_plus

HIDDEN: Final = "***"
USER_INFO: Final = re.compile(r"(?<=://)([^\s'\"`:@/]*:)?[^\s'\"`]*@")
"""From the scheme of a URL, or its user, to its last `@`: a password that is not escaped may hold `/`, `?` and `#`."""
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
    """Return the text without any known password, whatever form it is in, and without the passwords of URLs."""
    for form in sorted(_forms, key=len, reverse=True):
        text = text.replace(form, HIDDEN)
    return PARAMETER.sub(rf"\g<1>{HIDDEN}", USER_INFO.sub(rf"\g<1>{HIDDEN}@", text))


def _written(secret: str) -> set[str]:
    """Return the forms in which programs write a password."""
    raw = secret.encode("utf-8", "surrogatepass")
    percent = [quoting(secret, safe="", errors="surrogatepass") for quoting in (quote, quote_plus)]
    lower = [re.sub("%[0-9A-F]{2}", lambda found: found[0].lower(), form) for form in percent]
    json_forms = [json.dumps(secret, ensure_ascii=ascii_only)[1:-1] for ascii_only in (True, False)]
    escaped = [repr(secret)[1:-1], repr(raw)[2:-1], html.escape(secret), *(secret.replace(c, f"\\{c}") for c in "'\"")]
    encoded = [
        code(user + raw).decode().rstrip("=")
        for code in (base64.b64encode, base64.urlsafe_b64encode)
        for user in (b"", b":", b"default:")
    ]
    return {secret, *percent, *lower, *json_forms, *escaped, *encoded}
