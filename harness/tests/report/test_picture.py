"""The tables as a picture."""

import xml.etree.ElementTree as ET

from respmark.contract.trial import Scenario
from respmark.report.picture import picture
from respmark.report.tables import Report


def test_a_picture_is_svg_that_needs_nothing_from_elsewhere(report: Report) -> None:
    """It parses, and asks no other site for anything."""
    svg = picture(report, (Scenario.SYNC,))
    assert ET.fromstring(svg).tag.endswith("svg")  # noqa: S314 - our own
    assert "url(http" not in svg
    assert "src:" not in svg


def test_a_picture_shows_the_scenarios_asked_for(report: Report) -> None:
    """Others are left out."""
    svg = picture(report, (Scenario.SYNC,))
    assert "21,345" in svg
    assert "pipelining" not in svg


def test_the_same_report_is_the_same_picture(report: Report) -> None:
    """A picture in git does not change without its figures."""
    assert picture(report, (Scenario.SYNC,)) == picture(report, (Scenario.SYNC,))
