"""Byte-level byte-pair encoding, as GPT-2 introduced it, from the vocabulary inside a GGUF file.

Used only to make the committed data; the app itself never splits text.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

__all__ = ["BytePairEncoder"]

# Each digit stands alone, then GPT-2's split: endings, words, other signs, white space.
# ``[^\W\d_]`` is how the standard library spells "a letter".
_PIECES = re.compile(r"'(?:s|t|re|ve|m|ll|d)| ?[^\W\d_]+|\d| ?(?:[^\s\w]|_)+|\s+(?!\S)|\s+")


def _byte_letters() -> dict[int, str]:
    """One printable character for each byte: printable Latin-1 keeps itself, the rest moves past 255."""
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = [byte for byte in range(256) if byte not in printable]
    return {byte: chr(byte) for byte in printable} | {byte: chr(256 + i) for i, byte in enumerate(others)}


class BytePairEncoder:
    """Splits text into the model's tokens.

    Parameters
    ----------
    tokens : sequence of str
        The vocabulary in its byte-letter spelling; the position is the token's number.
    merges : sequence of str
        Pairs ``"left right"``, the earliest learnt first.
    """

    def __init__(self, tokens: Sequence[str], merges: Sequence[str]) -> None:
        self._spelling = list(tokens)
        self._number = {token: i for i, token in enumerate(tokens)}
        self._rank = {tuple(merge.split(" ")): i for i, merge in enumerate(merges)}
        self._letter = _byte_letters()
        self._byte = {letter: byte for byte, letter in self._letter.items()}

    def encode(self, text: str) -> list[int]:
        """Token numbers of ``text``; no start or end token is added."""
        return [
            self._number[part]
            for piece in _PIECES.findall(text)
            for part in self._merge([self._letter[byte] for byte in piece.encode()])
        ]

    def text(self, number: int) -> str:
        """The text of one token, with its leading space if it has one."""
        return bytes(self._byte[letter] for letter in self._spelling[number]).decode(errors="replace")

    def _merge(self, parts: list[str]) -> list[str]:
        """Join neighbours, always the pair that was learnt first, until no known pair is left."""
        while len(parts) > 1:
            pairs = list(pairwise(parts))
            best = min(pairs, key=lambda pair: self._rank.get(pair, len(self._rank)))
            if best not in self._rank:
                break
            joined: list[str] = []
            i = 0
            while i < len(parts):
                if tuple(parts[i : i + 2]) == best:
                    joined.append(parts[i] + parts[i + 1])
                    i += 2
                else:
                    joined.append(parts[i])
                    i += 1
            parts = joined
        return parts
