"""What tests build their worlds from, each thing with what a test does not name."""
