"""The tables, and the version they are in."""

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    Connection,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    inspect,
    select,
)

from classroom.phases import MAX_ROUNDS, PHASES

__all__ = ["VERSION", "ask", "make_schema", "meta", "participant", "room", "vote"]

VERSION = 1
_metadata = MetaData()
_Id = BigInteger().with_variant(Integer, "sqlite")

schema_version = Table("schema_version", _metadata, Column("version", Integer, primary_key=True))

meta = Table(
    "meta",
    _metadata,
    Column("name", String(40), primary_key=True),
    Column("value", Text, nullable=False),
)

# Times are milliseconds since 1970 in UTC, the same number in every database.
room = Table(
    "room",
    _metadata,
    Column("id", _Id, primary_key=True),
    Column("code", String(6), nullable=False, unique=True),
    Column("key_hash", String(64), nullable=False),
    Column("revision", BigInteger, nullable=False),
    Column("phase", String(10), nullable=False),
    Column("ask_id", BigInteger),
    Column("round", Integer, nullable=False),
    Column("opened_ms", BigInteger, nullable=False),
    Column("expires_ms", BigInteger, nullable=False),
    CheckConstraint(f"phase IN ({', '.join(repr(phase) for phase in PHASES)})", name="known_phase"),
    # A number given once is never given again, so that an old page cannot reach a new room.
    sqlite_autoincrement=True,
)

ask = Table(
    "ask",
    _metadata,
    Column("id", _Id, primary_key=True),
    Column("room_id", ForeignKey("room.id", ondelete="CASCADE"), nullable=False),
    Column("place", Integer, nullable=False),
    Column("question", String(80), nullable=False),
    Column("seed", BigInteger, nullable=False),
    Column("rounds", Integer, nullable=False),
    UniqueConstraint("room_id", "place"),
    # What a vote points at, so that its question is one of its own room.
    UniqueConstraint("room_id", "id"),
    sqlite_autoincrement=True,
)

participant = Table(
    "participant",
    _metadata,
    Column("room_id", ForeignKey("room.id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("token_hash", String(64), nullable=False),
    Column("joined_ms", BigInteger, nullable=False),
    UniqueConstraint("room_id", "token_hash"),
)

# One vote for each room, question, round and participant: the key says so, whatever a page does.
vote = Table(
    "vote",
    _metadata,
    Column("room_id", BigInteger, primary_key=True, autoincrement=False),
    Column("ask_id", BigInteger, primary_key=True, autoincrement=False),
    Column("round", Integer, primary_key=True, autoincrement=False),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("answer", String(400), nullable=False),
    Column("given", Text, nullable=False),
    Column("sequence", BigInteger, nullable=False),
    Column("voted_ms", BigInteger, nullable=False),
    ForeignKeyConstraint(["room_id", "ask_id"], ["ask.room_id", "ask.id"], ondelete="CASCADE"),
    ForeignKeyConstraint(
        ["room_id", "number"], ["participant.room_id", "participant.number"], ondelete="CASCADE"
    ),
    CheckConstraint(f"round BETWEEN 1 AND {MAX_ROUNDS}", name="known_round"),
    Index("vote_of_participant", "room_id", "number"),
)


def make_schema(connection: Connection) -> None:
    """Make the tables in an empty database, or check that those there are ours.

    Raises
    ------
    RuntimeError
        If the database was made by another version, with both numbers.
    """
    if inspect(connection).has_table("schema_version"):
        found = connection.execute(select(schema_version.c.version)).scalar()
        if found != VERSION:
            raise RuntimeError(
                f"the live room's database has schema version {found}; this app knows version {VERSION}. "
                "Start the app version that made it, or give this one an empty database."
            )
        return
    _metadata.create_all(connection)
    connection.execute(schema_version.insert().values(version=VERSION))
