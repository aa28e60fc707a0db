"""What is recorded of a slice: time, latency, CPU, memory, and the runtime's own health."""
