"""Tests of the set-up; none needs a network, and none installs anything."""
