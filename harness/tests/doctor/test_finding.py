"""What a check found, as a sentence."""

from respmark.doctor.finding import Finding


def test_a_finding_is_one_sentence_for_a_manifest() -> None:
    """Subject, what was found, and what to do."""
    assert Finding("swap", "12 MB in use", "turn it off").warning == "swap: 12 MB in use; turn it off"
