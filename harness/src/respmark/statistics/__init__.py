"""From records to cells: what a table shows. Reads records, starts nothing."""
