"""Expressions of GitHub's workflow language, as far as action.yml uses them; anything else is refused."""

import re
from collections.abc import Callable, Mapping
from typing import Any

_TOKEN = re.compile(r"\s*(?:(?P<text>'(?:[^']|'')*')|(?P<sign>==|!=|&&|\|\||[!()])|(?P<name>[a-zA-Z][\w.-]*))")
_FUNCTIONS = ("always", "success", "failure")
_HOLE = re.compile(r"\$\{\{(.*?)\}\}", re.DOTALL)


def fill(text: str, contexts: Mapping[str, Any], functions: Mapping[str, Callable[[], bool]]) -> str:
    """Return a text whose ``${{ }}`` are replaced by their values."""
    return _HOLE.sub(lambda hole: str(evaluate(hole[1], contexts, functions)), text)


def evaluate(text: str, contexts: Mapping[str, Any], functions: Mapping[str, Callable[[], bool]]) -> Any:
    """Return the value of an expression.

    Raises
    ------
    ValueError
        If it has anything but texts, names, ``always()``, ``success()``, ``failure()``, ``== != && || !`` and
        parentheses, or names what does not exist.
    """
    reader = _Reader(text, contexts, functions)
    value = reader.any()
    if reader.tokens:
        raise ValueError(f"{text!r}: what is {reader.tokens[0][1]!r}?")
    return value


class _Reader:
    def __init__(self, text, contexts, functions):
        self.contexts, self.functions = contexts, functions
        self.tokens, at = [], 0
        text = text.rstrip()
        while at < len(text):
            found = _TOKEN.match(text, at)
            if found is None:
                raise ValueError(f"{text!r}: what is {text[at:]!r}?")
            self.tokens.append((found.lastgroup, found[found.lastgroup]))
            at = found.end()

    def any(self):
        value = self.all()
        while self.take("||"):
            other = self.all()
            value = value or other
        return value

    def all(self):
        value = self.compared()
        while self.take("&&"):
            other = self.compared()
            value = value and other
        return value

    def compared(self):
        value = self.one()
        for sign in ("==", "!="):
            if self.take(sign):
                return (value == self.one()) == (sign == "==")
        return value

    def one(self):
        if self.take("!"):
            return not self.one()
        if self.take("("):
            value = self.any()
            self.need(")")
            return value
        kind, word = self.tokens.pop(0) if self.tokens else ("end", "")
        if kind == "text":
            return word[1:-1].replace("''", "'")
        if kind != "name":
            raise ValueError(f"{word!r} stands where a value should")
        if word in _FUNCTIONS:
            self.need("(")
            self.need(")")
            return self.functions[word]()
        value = self.contexts
        for part in word.split("."):
            # The output of a step that did not run, or did not say it, is empty.
            if isinstance(value, _Outputs):
                return value.get(part, "")
            if not isinstance(value, Mapping) or part not in value:
                raise ValueError(f"{word}: there is no {part}")
            value = value[part]
        return value

    def take(self, sign):
        if self.tokens and self.tokens[0] == ("sign", sign):
            self.tokens.pop(0)
            return True
        return False

    def need(self, sign):
        if not self.take(sign):
            raise ValueError(f"{sign} is missing")


class _Outputs(dict):
    """The outputs of a step."""


def outputs(values: Mapping[str, str]) -> dict[str, str]:
    """Return the outputs of a step as a context, in which those that are not there are empty."""
    return _Outputs(values)
