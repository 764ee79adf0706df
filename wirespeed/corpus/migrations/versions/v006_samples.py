"""Figures have the range of their samples, and watts of about their rate.

Rates per watt had the watts of the highest draw, which do not fit rates far below the highest.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "006"
down_revision = "005"

_RANGE = ("low_pps", "high_pps")


def upgrade() -> None:
    op.add_column("figures", sa.Column("samples", sa.Integer, nullable=False, server_default="0"))
    for name in _RANGE:
        op.add_column("figures", sa.Column(name, sa.Float))
    op.execute(
        "UPDATE figures SET per_watt = NULL WHERE rate_pps < 0.9 * "
        "(SELECT max(other.rate_pps) FROM figures other WHERE other.result_id = figures.result_id)"
    )


def downgrade() -> None:
    for name in ("samples", *_RANGE):
        op.drop_column("figures", name)
