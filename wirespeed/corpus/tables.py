"""The tables of the index. What changes here needs a migration (migrations/versions)."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, Float, ForeignKey, Index, Integer, MetaData, String, Table, Text

METADATA = MetaData()
_ID = BigInteger().with_variant(Integer, "sqlite")

RESULTS = Table(
    "results",
    METADATA,
    Column("id", _ID, primary_key=True),
    Column("digest", String(64), nullable=False, unique=True),
    Column("kind", Text, nullable=False, index=True),
    Column("title", Text, nullable=False, index=True),
    Column("dut", Text, nullable=False, index=True),
    Column("version", Text, nullable=False),
    Column("build", Text, nullable=False, index=True),
    Column("cpu", Text, nullable=False),
    Column("lab", Text, nullable=False),
    Column("load", Text, nullable=False),
    Column("directions", Text, nullable=False),
    Column("started", Text, nullable=False, index=True),
    Column("status", Text, nullable=False),
    Column("limited_by", Text, nullable=False, index=True),
    Column("watts", Float),
    Column("bytes", BigInteger, nullable=False),
    Column("is_missing", Boolean, nullable=False),
)

FIGURES = Table(
    "figures",
    METADATA,
    Column("id", _ID, primary_key=True),
    Column("result_id", _ID, ForeignKey("results.id", ondelete="CASCADE"), nullable=False),
    Column("figure", Text, nullable=False, index=True),
    Column("rate_pps", Float, nullable=False),
    Column("at_least", Boolean, nullable=False),
    Column("irregular", Text, nullable=False),
    Column("per_watt", Float),
    Column("bound", Text, nullable=False),
    Column("mark", Text, nullable=False),
    Column("loss_ratio", Float),
    Column("line_percent", Float),
    Column("upper_pps", Float),
    Column("samples", Integer, nullable=False),
    Column("low_pps", Float),
    Column("high_pps", Float),
    Index("ix_figures_result_id_rate_pps", "result_id", "rate_pps"),
)

TAGS = Table(
    "tags",
    METADATA,
    Column("result_id", _ID, ForeignKey("results.id", ondelete="CASCADE"), primary_key=True),
    Column("tag", Text, primary_key=True, index=True),
)

WORDS = Table(
    "words",
    METADATA,
    Column("result_id", _ID, ForeignKey("results.id", ondelete="CASCADE"), primary_key=True),
    Column("text", Text, nullable=False),
)
"""Text in which `results list WORD` searches, in small letters. Rows of RESULTS are ten times as long, so a search
there would read ten times as much."""
