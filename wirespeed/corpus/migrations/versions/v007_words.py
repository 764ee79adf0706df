"""Texts in which a word alone is searched for, in a table of their own: rows of results are many times as long."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "007"
down_revision = "006"

_ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")
_SEARCHED = ("title", "dut", "version", "build", "load")
_RESULTS = sa.table("results", sa.column("id"), *map(sa.column, _SEARCHED))


def upgrade() -> None:
    words = op.create_table(
        "words",
        sa.Column("result_id", _ID, sa.ForeignKey("results.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("text", sa.Text, nullable=False),
    )
    op.drop_index("ix_figures_result_id", "figures")
    op.create_index("ix_figures_result_id_rate_pps", "figures", ["result_id", "rate_pps"])
    found = op.get_bind().execute(sa.select(_RESULTS))
    while rows := found.fetchmany(10_000):
        op.bulk_insert(words, [{"result_id": row[0], "text": "\n".join(row[1:]).lower()} for row in rows])


def downgrade() -> None:
    op.drop_index("ix_figures_result_id_rate_pps", "figures")
    op.create_index("ix_figures_result_id", "figures", ["result_id"])
    op.drop_table("words")
