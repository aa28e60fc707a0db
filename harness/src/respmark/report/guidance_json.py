"""Verdicts as JSON."""

import json
from typing import Any

from respmark.contract.base import SCHEMA_VERSION
from respmark.guidance.evidence import Absent, Found
from respmark.guidance.verdict import JudgedClaim, JudgedPoint
from respmark.report.guidance import command
from respmark.statistics.compare import CONFIDENCE


def verdicts_json(claims: list[JudgedClaim], warnings: list[str]) -> str:
    """Return the verdicts as one JSON document, with warnings about the runs."""
    content = {
        "schema_version": SCHEMA_VERSION,
        "confidence": CONFIDENCE,
        "warnings": warnings,
        "claims": [claim_json(one) for one in claims],
    }
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def claim_json(one: JudgedClaim) -> dict[str, Any]:
    """Return a claim with its verdict and its comparisons as plain data."""
    return {
        "source": one.guidance.name,
        "title": one.guidance.title,
        "url": one.guidance.url,
        "section": one.claim.section,
        "id": one.claim.id,
        "gist": one.claim.gist,
        "verdict": one.verdict,
        "out_of_reach": one.claim.out_of_reach,
        "command": command([one]),
        "comparisons": [_point_json(point, one.guidance.versions) for point in one.points],
    }


def _point_json(one: JudgedPoint, versions: dict[str, str]) -> dict[str, Any]:
    point, found = one.point, one.found
    low, high = one.interval or (None, None)
    return {
        **point.model_dump(mode="json", exclude_none=True),
        "published": point.published,
        "published_versions": {
            library: version
            for library, version in versions.items()
            if library in {side.client.partition("[")[0].partition("@")[0] for side in (point.cell, point.against)}
        },
        "verdict": one.verdict,
        "ratio": one.ratio,
        "low": low,
        "high": high,
        "rounds_needed": one.rounds_needed,
        "reason": found.reason if isinstance(found, Absent) else None,
        "measured_in": _measured_in(found) if isinstance(found, Found) else None,
    }


def _measured_in(found: Found) -> dict[str, Any]:
    return {
        "run_id": found.run_id,
        "block": found.block,
        "rounds": len(found.rounds),
        "versions": list(found.versions),
    }
