"""What the server and the kernel say happened, never what the client says."""
