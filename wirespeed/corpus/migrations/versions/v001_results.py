"""Results, their figures and tags."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "001"
down_revision = None

_ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    op.create_table(
        "results",
        sa.Column("id", _ID, primary_key=True),
        sa.Column("digest", sa.String(64), nullable=False, unique=True),
        *(
            sa.Column(name, sa.Text, nullable=False, index=name in ("kind", "title", "box", "build", "started"))
            for name in ("kind", "title", "box", "version", "build", "cpu", "lab", "load", "directions", "started")
        ),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("limited_by", sa.Text, nullable=False, index=True),
        sa.Column("watts", sa.Float),
        sa.Column("bytes", sa.BigInteger, nullable=False),
        sa.Column("is_missing", sa.Boolean, nullable=False),
    )
    op.create_table(
        "figures",
        sa.Column("id", _ID, primary_key=True),
        sa.Column("result_id", _ID, sa.ForeignKey("results.id", ondelete="CASCADE"), nullable=False, index=True),
        sa.Column("figure", sa.Text, nullable=False, index=True),
        sa.Column("rate_pps", sa.Float, nullable=False),
        sa.Column("at_least", sa.Boolean, nullable=False),
        sa.Column("irregular", sa.Text, nullable=False),
        sa.Column("per_watt", sa.Float),
    )
    op.create_table(
        "tags",
        sa.Column("result_id", _ID, sa.ForeignKey("results.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("tag", sa.Text, primary_key=True, index=True),
    )


def downgrade() -> None:
    for name in ("tags", "figures", "results"):
        op.drop_table(name)
