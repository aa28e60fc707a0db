"""Writes the README's figures, its picture, and the published run's report from the run's files.

`python -m respmark.readme` (`make readme`) writes them; a test fails when README and files disagree.
"""

import re
from pathlib import Path
from typing import Final

from respmark.contract.trial import Scenario
from respmark.escaping import markdown as escaped
from respmark.paths import RESULTS, ROOT
from respmark.report.header import header_lines, versions_line
from respmark.report.markdown import markdown
from respmark.report.picture import picture
from respmark.report.summary import summary_legend, summary_markdown
from respmark.report.tables import Report, make_report
from respmark.results.recheck import recheck
from respmark.results.store import read_run
from respmark.specs.catalogue import Catalogue

PUBLISHED: Final = RESULTS / "published" / "quick"
README: Final = ROOT / "README.md"
PICTURE: Final = ROOT / "docs" / "report.svg"
PICTURED: Final = (Scenario.BATCHING,)
SECTION: Final = re.compile(r"(?<=<!-- published: begin -->\n).*(?=<!-- published: end -->)", re.DOTALL)


def published_report() -> Report:
    """Return the report of the published run."""
    return make_report(recheck(read_run(PUBLISHED)), Catalogue().scenarios)


def readme_section(report: Report) -> str:
    """Return what stands between the README's marks."""
    versions = {cell.client: cell.versions for cell in report.cells if cell.versions}
    lines = "\n".join(f"- {escaped(line)}" for line in header_lines(report.manifest))
    loaded = f"- loaded: {escaped(versions_line(versions))}"
    return f"\n{lines}\n{loaded}\n\n{summary_markdown(list(report.cells))}\n{summary_legend(report.cells)}\n\n"


def files(report: Report) -> dict[Path, str]:
    """Return the text of every file that is made from the published run."""
    readme = README.read_text(encoding="utf-8")
    return {
        README: SECTION.sub(lambda _: readme_section(report), readme),
        PICTURE: picture(report, PICTURED),
        PUBLISHED / "report.md": markdown(report),
    }


def main() -> None:
    """Write them."""
    for path, text in files(published_report()).items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
