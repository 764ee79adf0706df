"""Upper bounds of figures, which the verdict prints beside the rate: `7.77 Mpps to 7.81 Mpps`."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "003"
down_revision = "002"


def upgrade() -> None:
    op.add_column("figures", sa.Column("upper_pps", sa.Float))


def downgrade() -> None:
    op.drop_column("figures", "upper_pps")
