"""Clean-up takes what was made, and never results."""

from bootstrap.clean import clean
from bootstrap.layout import Layout
from bootstrap.tests.fakes import Checkout


def test_removes_what_was_made_and_nothing_else(checkout: Checkout) -> None:
    """Sources and results stay."""
    made = (".build/harness/x", "node/node_modules/x", "node/dist/x", "harness/src/__pycache__/x", ".ruff_cache/x")
    kept = ("harness/src/a.py", "results/run/manifest.json", "results/run/__pycache__/x", "node/src/main.ts")
    for name in made + kept:
        checkout.write(name)
    removed = clean(Layout(checkout.root))
    assert set(removed) == {".build", "node/node_modules", "node/dist", "harness/src/__pycache__", ".ruff_cache"}
    assert all((checkout.root / name).exists() for name in kept)


def test_a_clean_checkout_stays_as_it_is(checkout: Checkout) -> None:
    """There may be nothing to do."""
    checkout.write("harness/a.py")
    assert clean(Layout(checkout.root)) == ()
