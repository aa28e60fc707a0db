"""What is said about a trial: to a runner, by a runner, and within the harness (`harness/contract.md` is the page)."""
