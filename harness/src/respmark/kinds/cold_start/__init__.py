"""Cold starts: how long a new process takes until a library has its first reply, stage by stage."""
