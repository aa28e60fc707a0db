"""The workload: the commands to send, made before the clock starts, and the file that they come from."""
