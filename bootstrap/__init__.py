"""Set-up, tests and lint of a respmark checkout: `python3 -m bootstrap --help`, or `make help`.

Nothing but the standard library may be imported here: this is what runs before anything is installed.
"""
