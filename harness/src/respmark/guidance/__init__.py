"""Published claims against runs: which of them hold."""
