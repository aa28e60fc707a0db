"""What every language does alike, with its runner as it is installed here."""
