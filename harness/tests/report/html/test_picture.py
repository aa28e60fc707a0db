"""Charts as pictures, without a browser."""

from dataclasses import replace
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from respmark.errors import InvalidRequestError
from respmark.report.html import vega
from respmark.report.html.charts.chart import ChartKey
from respmark.report.html.picture import picture
from respmark.report.html.view import View, make_view
from respmark.results.manifest import RunStatus
from respmark.results.store import Run
from respmark.specs.post import PostSpec
from tests.builders.plan import SHIPPED
from tests.report.html.test_page import MARKUP
from tests.report.test_hostile import hostile_run


def words(spec: dict[str, Any]) -> str:
    """Return everything that a picture says."""
    drawn = ET.fromstring(vega.svg(spec))  # noqa: S314 - our own
    return " ".join(text for one in drawn.iter() if one.tag.endswith("}text") for text in one.itertext())


def test_a_picture_says_what_it_is_of_and_whose(view: View, published: PostSpec) -> None:
    """It is seen without the page around it: use, baseline, what a mark means, the run and its machine."""
    said = words(picture(view, published, ChartKey.FOREST, "batching, depth 100"))
    assert "batching, depth 100: ratios to redis-py" in said
    assert "a hollow one is not shown" in said
    assert f"Run {view.manifest.run_id}, 3 rounds, {view.manifest.target.version}" in said


def test_a_run_that_is_not_whole_says_so_in_a_picture(run: Run, published: PostSpec) -> None:
    """As everywhere."""
    cut = replace(run, manifest=run.manifest.model_copy(update={"status": RunStatus.INTERRUPTED}))
    said = words(picture(make_view(cut, SHIPPED.scenarios), published, ChartKey.FRONTIER))
    assert "THIS RUN IS INCOMPLETE" in said


def test_a_cell_that_lost_a_round_says_so_in_a_picture(view: View, published: PostSpec) -> None:
    """As in every other form; a picture without such a cell does not."""
    told = "Rounds or slices are lost, and figures are of the others: phpredis."
    assert told in words(picture(view, published, ChartKey.FRONTIER, "transaction"))
    assert "are lost" not in words(picture(view, published, ChartKey.FRONTIER, "sync"))


@pytest.mark.parametrize(
    ("use", "rows"), [("batching", {1}), ("batching, depth 100", {2}), (None, {0})], ids=["first", "named", "any"]
)
def test_a_picture_is_of_one_use(view: View, published: PostSpec, use: str | None, rows: set[int]) -> None:
    """A scenario stands for the first of its shapes."""
    spec = picture(view, published, ChartKey.FOREST, use)
    assert {value["row"] for value in spec["datasets"]["rows"]} == rows


def test_a_legend_names_the_clients_that_are_drawn_and_no_others(view: View, published: PostSpec) -> None:
    """`slow` was not measured there."""
    assert "slow" not in words(picture(view, published, ChartKey.LATENCY, "batching, depth 10"))
    assert "slow" in words(picture(view, published, ChartKey.LATENCY, "sync"))


def test_what_a_run_does_not_have_is_refused(run: Run, view: View, published: PostSpec) -> None:
    """With what it has."""
    with pytest.raises(InvalidRequestError, match=r"chart `forest` has nothing of it; .*batching, depth 10"):
        picture(view, published, ChartKey.FOREST, "threads")
    small = replace(run, records=tuple(one for one in run.records if one.scenario == "sync"))
    with pytest.raises(InvalidRequestError, match="--chart heat: this run has nothing for it; it has: forest"):
        picture(make_view(small, SHIPPED.scenarios), published, ChartKey.HEAT)


def test_a_png_has_two_pixels_for_one(view: View, published: PostSpec) -> None:
    """For screens that have as many."""
    spec = picture(view, published, ChartKey.FRONTIER)
    drawn, made = ET.fromstring(vega.svg(spec)), vega.png(spec)  # noqa: S314 - our own
    assert made.startswith(b"\x89PNG\r\n\x1a\n")
    assert int.from_bytes(made[16:20], "big") == 2 * int(float(drawn.attrib["width"]))


@pytest.mark.parametrize("word", MARKUP)
def test_hostile_words_are_text_in_a_picture(word: str, published: PostSpec) -> None:
    """It has no script, no link and no image."""
    spec = picture(make_view(hostile_run(word), SHIPPED.scenarios), published, ChartKey.LATENCY)
    tags = {one.tag.rpartition("}")[2] for one in ET.fromstring(vega.svg(spec)).iter()}  # noqa: S314 - our own
    assert not tags & {"script", "a", "image", "foreignObject", "use"}
