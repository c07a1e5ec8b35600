"""Room codes, lecturers' keys and phones' tokens: all from `secrets`, none stored as it was given out."""

import hashlib
import hmac
import re
import secrets

__all__ = [
    "ALPHABET",
    "CODE_LENGTH",
    "hash_key",
    "hash_token",
    "key_matches",
    "new_code",
    "new_key",
    "normal_code",
    "read_cookie",
    "sign_token",
]

ALPHABET = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
"""31 signs. I, L, O, 0 and 1 are left out, because they are misread from a projector."""

CODE_LENGTH = 6
_KEY_BYTES = 24
_TOKEN_BYTES = 16
_SIGNATURE_LENGTH = 32


def new_code() -> str:
    """Return a room code: one of 31⁶, about 8.9 · 10⁸."""
    return "".join(secrets.choice(ALPHABET) for _ in range(CODE_LENGTH))


def normal_code(typed: str) -> str | None:
    """Return a typed code as it is stored, or None if it cannot be one.

    Capitals do not matter, nor do blanks and hyphens between the signs.
    """
    code = re.sub(r"[\s-]", "", typed[:40]).upper()
    return code if len(code) == CODE_LENGTH and set(code) <= set(ALPHABET) else None


def new_key() -> str:
    """Return a lecturer's key: 192 random bits, in 32 signs that an address may hold."""
    return secrets.token_urlsafe(_KEY_BYTES)


def hash_key(key: str) -> str:
    """Return what is stored of a lecturer's key. A key this long needs no slow hash."""
    return hashlib.sha256(f"lecturer:{key}".encode()).hexdigest()


def key_matches(key: str, stored: str) -> bool:
    """Say whether a key is the one whose hash is stored, in a time that does not tell how close it was."""
    return hmac.compare_digest(hash_key(key), stored)


def _signature(token: str, secret: str) -> str:
    return hmac.new(secret.encode(), token.encode(), hashlib.sha256).hexdigest()[:_SIGNATURE_LENGTH]


def sign_token(secret: str) -> str:
    """Return a new phone's cookie: 128 random bits, and a signature that shows we made it."""
    token = secrets.token_urlsafe(_TOKEN_BYTES)
    return f"{token}.{_signature(token, secret)}"


def read_cookie(cookie: str, secret: str) -> str | None:
    """Return the token in a phone's cookie, or None if we did not make it."""
    token, _, signature = cookie[:200].partition(".")
    good = hmac.compare_digest(_signature(token, secret).encode(), signature.encode())
    return token if good else None


def hash_token(token: str, room_id: int) -> str:
    """Return what a room stores of a phone's token. Two rooms' rows cannot be matched with each other."""
    return hashlib.sha256(f"phone:{room_id}:{token}".encode()).hexdigest()
