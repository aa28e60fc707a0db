"""The machine that measures: processors, processes and their guardian, the kernel's counters, the lock."""
