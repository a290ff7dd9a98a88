"""What is written beside the fields of a class, as a part of its docstring."""

import inspect
import re
from dataclasses import is_dataclass
from textwrap import wrap
from typing import Any


class FieldDocs:
    """A class's docstring with what is written beside its fields, read from the source when ``help`` asks for it."""

    FIELD = re.compile(r" {4}(\w+): ([^=#]+?)\s*(?:=[^#]*)?(?:#: (.*))?")

    def __init__(self, text: str) -> None:
        self._text = text

    def __get__(self, instance: object, owner: type) -> str:
        try:
            of = [inspect.getsource(each) for each in owner.__mro__ if is_dataclass(each)]
            sources = [source.split('"""', 2)[2].partition("    @")[0] for source in of]
        except (OSError, IndexError):  # there is no source
            return inspect.cleandoc(self._text)
        told, above = [], ""
        for line in "\n".join(sources).splitlines():
            if line.startswith("    #: "):
                above += f"{line[7:]} "
            elif field := self.FIELD.fullmatch(line):
                name, kind, beside = field.groups()
                told += [
                    f"{name} : {kind}",
                    *wrap(above or beside or "", 100, initial_indent=" " * 4, subsequent_indent=" " * 4),
                ]
                above = ""
        before, _, examples = inspect.cleandoc(self._text).partition("Examples\n")  # from 3.13 on it is clean already
        return "\n".join([f"{before}Attributes", "----------", *told, "", f"Examples\n{examples}"])


def with_fields(*classes: Any) -> None:
    """Have ``help`` show what is written beside the fields of these classes."""
    for each in classes:
        each.__doc__ = FieldDocs(each.__doc__)
