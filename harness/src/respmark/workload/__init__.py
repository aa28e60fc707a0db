"""The workload: which commands are sent, in one file that every runner replays."""
