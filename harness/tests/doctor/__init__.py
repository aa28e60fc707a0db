"""Tests of respmark.doctor."""
