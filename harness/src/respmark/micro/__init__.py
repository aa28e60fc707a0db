"""Micro-benchmarks: what JMH and BenchmarkDotNet measure, in one form, beside the trials."""
