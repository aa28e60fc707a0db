"""Set-up, tests and lint of a respmark checkout: `python3 -m bootstrap --help`, or `make help`.

Only the standard library may be imported here, because this runs before anything is installed.
"""
