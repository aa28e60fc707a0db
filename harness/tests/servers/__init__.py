"""Every client on servers of several kinds."""
