"""What the server, and the kernel, say happened; never the client's word."""
