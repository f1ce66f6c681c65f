"""Pages as a reader of their markup sees them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass
class Page(HTMLParser):
    """The text, the attributes and the links of a page."""

    markup: str
    words: list[str] = field(default_factory=list)
    attributes: list[tuple[str, str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.markup)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        """All text, white space collapsed."""
        return " ".join(" ".join(self.words).split())

    def values(self, name: str, tag: str | None = None) -> list[str]:
        """Return the values of an attribute in their order."""
        return [value for element, key, value in self.attributes if key == name and tag in (None, element)]

    @property
    def everything_said(self) -> str:
        """All text and all attribute values: where a secret must not be."""
        return " ".join([self.text, *(value for _, _, value in self.attributes)])


def read(response: Any) -> Page:
    """Return a page that was served."""
    assert response.status_code == 200, response.status_code
    return Page(response.content.decode())


def region(markup: str, element_id: str) -> str:
    """Return the element with this id, its own tag included."""
    (found,) = _elements(markup, rf'<(\w+)[^>]*\bid="{re.escape(element_id)}"')
    return found


def texts(markup: str, css_class: str) -> list[str]:
    """Return the text of each element with this class."""
    return [Page(each).text for each in _elements(markup, rf'<(\w+)[^>]*\bclass="(?:[^"]* )?{css_class}[ "]')]


def _elements(markup: str, opening: str) -> Iterator[str]:
    for start in re.finditer(opening, markup):
        depth = 0
        for match in re.finditer(rf"<(/?){start[1]}\b[^>]*>", markup[start.start() :]):
            depth += -1 if match[1] else 1
            if depth == 0:
                yield markup[start.start() : start.start() + match.end()]
                break
