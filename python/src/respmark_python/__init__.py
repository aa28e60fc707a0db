"""The Python runner of respmark: measures Python's Redis client libraries, one trial per process."""
