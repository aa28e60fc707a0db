"""The wire: what really passes between a runner and the server, recorded by a proxy that changes nothing."""
