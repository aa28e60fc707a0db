"""Tests of respmark.servers, and the pins of servers that tests run on."""
