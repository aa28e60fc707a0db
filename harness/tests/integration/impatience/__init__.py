"""A folder for PYTHONPATH; Python reads its sitecustomize as it starts."""
