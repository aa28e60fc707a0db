"""What is recorded of a window: time, latency, errors, CPU, memory, and the runtime's own health."""
