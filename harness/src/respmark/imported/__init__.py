"""What load generators measured elsewhere: read, kept and shown without evidence, and compared only on request."""
