"""From cells to tables; reads files and nothing else."""
