"""The page's charts: each is a Vega-Lite spec without data, its data, and what its columns mean."""
