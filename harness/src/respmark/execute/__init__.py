"""Starting runners and talking to them."""
