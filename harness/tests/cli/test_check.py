"""What `respmark doctor` says."""

from respmark.cli.check import unmeasured_claims


def test_claims_that_cannot_be_measured_here_are_reported_by_what_they_need() -> None:
    """Those that need the same, together."""
    assert [one.advice for one in unmeasured_claims({})] == [None]
    findings = unmeasured_claims({"a": "needs 8 CPUs", "b": "needs more", "c": "needs 8 CPUs"})
    assert [one.advice for one in findings] == ["`a`, `c`: needs 8 CPUs", "`b`: needs more"]
