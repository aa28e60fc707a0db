"""Set-up, on machines that only remember what they were asked to run."""
