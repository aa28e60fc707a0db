"""The wire: what really goes between a runner and the server, recorded by a proxy that changes nothing."""
