"""Versions: their order, and what prefixes of them mean."""

import pytest

from respmark.specs.versions import VersionOrder, covered, in_order, is_before, nearest

PYTHON = ("6.4.0", "5.3.1", "5.10.0", "5.9.0", "5.0.0", "6.0.0b2", "6.0.0rc1", "6.0.0", "7.0.0rc1")
MAVEN = ("6.0.2.RELEASE", "6.3.0.RELEASE", "6.3.2.RELEASE", "7.0.0.BETA1", "7.0.0.RELEASE", "7.1.0.RC1")
NPM = ("4.0.0-rc.4", "4.0.0", "4.0.0-next.10", "4.0.0-next.4", "3.1.2", "not-a-version")


@pytest.mark.parametrize(
    ("versions", "order", "sorted_versions"),
    [
        (PYTHON, VersionOrder.PEP440, "5.0.0 5.3.1 5.9.0 5.10.0 6.0.0b2 6.0.0rc1 6.0.0 6.4.0 7.0.0rc1"),
        (MAVEN, VersionOrder.SEMVER, "6.0.2.RELEASE 6.3.0.RELEASE 6.3.2.RELEASE 7.0.0.BETA1 7.0.0.RELEASE 7.1.0.RC1"),
        (NPM, VersionOrder.SEMVER, "3.1.2 4.0.0-next.4 4.0.0-next.10 4.0.0-rc.4 4.0.0"),
    ],
)
def test_versions_have_the_order_of_their_registry(
    versions: tuple[str, ...], order: VersionOrder, sorted_versions: str
) -> None:
    """Numbers as numbers; what precedes a release is before it; what is no version is left out."""
    assert in_order(versions, order) == sorted_versions.split()


@pytest.mark.parametrize(
    ("prefix", "versions", "order", "found"),
    [
        ("5", PYTHON, VersionOrder.PEP440, "5.10.0"),
        ("5.0", PYTHON, VersionOrder.PEP440, "5.0.0"),
        ("6", PYTHON, VersionOrder.PEP440, "6.4.0"),
        ("6.0.0rc1", PYTHON, VersionOrder.PEP440, "6.0.0rc1"),
        ("latest", PYTHON, VersionOrder.PEP440, "6.4.0"),
        ("5.1", PYTHON, VersionOrder.PEP440, None),
        ("7", PYTHON, VersionOrder.PEP440, None),
        ("6.3.0", MAVEN, VersionOrder.SEMVER, "6.3.0.RELEASE"),
        ("6.3", MAVEN, VersionOrder.SEMVER, "6.3.2.RELEASE"),
        ("latest", MAVEN, VersionOrder.SEMVER, "7.0.0.RELEASE"),
        ("4.0.0-rc.4", NPM, VersionOrder.SEMVER, "4.0.0-rc.4"),
        ("main", NPM, VersionOrder.SEMVER, None),
    ],
)
def test_a_prefix_means_the_newest_release_that_begins_with_it(
    prefix: str, versions: tuple[str, ...], order: VersionOrder, found: str | None
) -> None:
    """An exact version is itself, even before its release; nothing is found where no release fits."""
    assert covered(prefix, versions, order) == found


def test_a_version_that_does_not_exist_has_neighbours() -> None:
    """Those on both sides of it, or those at the end."""
    assert nearest("5.5.0", PYTHON, VersionOrder.PEP440) == ["5.0.0", "5.3.1", "5.9.0", "5.10.0"]
    assert nearest("9.0.0", PYTHON, VersionOrder.PEP440) == ["6.0.0rc1", "6.0.0", "6.4.0", "7.0.0rc1"]
    assert nearest("1.0", PYTHON, VersionOrder.PEP440) == ["5.0.0", "5.3.1", "5.9.0", "5.10.0"]


def test_what_is_no_version_is_before_nothing() -> None:
    assert is_before("5.9.0", "5.10.0", VersionOrder.PEP440)
    assert not is_before("distribution", "5.10.0", VersionOrder.SEMVER)
