"""Programs that generate files of the checkout: the contract's examples, the README's figures, pages of the docs."""
