"""Pages as lines."""


def rows(lines: list[str], title: str) -> list[list[str]]:
    """Return the rows of the first table after a line, without the links and code marks of names."""
    after = lines[lines.index(title) :]
    begin = next(number for number, line in enumerate(after) if line.startswith("| ---"))
    found = after[begin + 1 : after.index("", begin)]
    return [[value.strip().strip("`") for value in line.strip("|").split("|")] for line in found]
