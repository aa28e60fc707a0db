"""Check dependencies against databases of known vulnerabilities if one can be reached; say so if none can.

Each language's own auditor says what it has found; this module only reads whether it names an advisory, or says that
there is none. Anything else is no answer.
"""

import re
import shlex

from bootstrap.languages import Language
from bootstrap.machine import Site
from bootstrap.prepare import Prepared
from bootstrap.sentences import decisive, plain

SILENCE_LIMIT_S = 60.0
"""A database that does not answer must not hold everything up."""
ADVISORY = re.compile(r"\b(?:CVE|GHSA|OSV|PKSA|PYSEC)-[\w-]+")


def audit(site: Site, prepared: Prepared) -> bool:
    """Print a line per language; return whether nothing is known to be vulnerable. What is unchecked is no failure."""
    rows = {language.name: _looked_up(language, site, prepared) for language in prepared.languages}
    site.say("\nknown vulnerabilities of dependencies")
    for name, said in rows.items():
        site.say(f"{name:<8}{said}")
    return all(said == "none" or said.startswith("unchecked: ") for said in rows.values())


def _looked_up(language: Language, site: Site, prepared: Prepared) -> str:
    """Return the names of the advisories, `none`, or the reason why nobody knows."""
    if missing := prepared.missing.get(f"{language.name}@audit"):
        return f"unchecked: {missing}"
    log, argv = f"audit-{language.name}", tuple(shlex.split(language.audit["command"]))
    site.log(log).unlink(missing_ok=True)
    output = plain(site.run(argv, log, language.name, silence_limit_s=SILENCE_LIMIT_S).output)
    if advisories := sorted(set(ADVISORY.findall(output))):
        site.say(f"\n--- {language.name}\n{output}")
        return ", ".join(advisories)
    if not re.search(language.audit["none"], output):
        return f"unchecked: {decisive(output)}"
    was_asked = re.search(language.audit.get("asked", ""), output, re.MULTILINE)
    return "none" if was_asked else "unchecked: packages come from where no advisories are known"
