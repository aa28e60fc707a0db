"""docs/adding-a-client.md, followed: a library, its adapter, its spec, and the line that registers it."""
