"""The languages, as data: one file each. A new one is one more file and its place in the order; see docs/setup.md."""

from bootstrap.languages.dotnet import DOTNET
from bootstrap.languages.java import JAVA
from bootstrap.languages.node import NODE
from bootstrap.languages.php import PHP
from bootstrap.languages.python import PYTHON

LANGUAGES = (PYTHON, NODE, JAVA, PHP, DOTNET)
