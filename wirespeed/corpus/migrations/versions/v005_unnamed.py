"""DUTs without a name are `unnamed`, which was `unknown`."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "005"
down_revision = "004"

_RESULTS = sa.table("results", sa.column("dut", sa.Text))


def upgrade() -> None:
    _rename("unknown", "unnamed")


def downgrade() -> None:
    _rename("unnamed", "unknown")


def _rename(old: str, new: str) -> None:
    op.execute(_RESULTS.update().where(_RESULTS.c.dut == old).values(dut=new))
