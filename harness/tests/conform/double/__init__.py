"""A runner that is a test double: an honest one, and one liar for each lie that conformance must catch."""
