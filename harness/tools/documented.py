"""What the models' sources say of their fields, for tables.

pydantic can put these sentences into the models (`use_attribute_docstrings`), but then it reads the source of every
model whenever the command starts.
"""

import ast
import inspect
from collections.abc import Iterator
from itertools import pairwise
from textwrap import dedent

from pydantic import BaseModel


def documented(model: type[BaseModel]) -> dict[str, str]:
    """Return the docstring of each field that has one; a class's own comes before those that it inherits."""
    bases = [base for base in reversed(model.__mro__) if base.__module__.startswith(("respmark", "tests"))]
    return {name: words for base in bases for name, words in _documented_in(base)}


def _documented_in(model: type[object]) -> Iterator[tuple[str, str]]:
    definition = ast.parse(dedent(inspect.getsource(model))).body[0]
    if not isinstance(definition, ast.ClassDef):
        return
    for field, after in pairwise(definition.body):
        match field, after:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(words))):
                yield name, inspect.cleandoc(words)
