"""`python -m respmark` is the command `respmark`."""

from respmark.cli import main

main()
