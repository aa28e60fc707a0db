"""The report as one page that needs nothing from elsewhere."""
