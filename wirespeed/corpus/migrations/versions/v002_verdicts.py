"""Figures as the verdict has them: of all directions together, with what bounds them; none is the best second."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "002"
down_revision = "001"

_EACH_WAY = "SELECT id FROM results WHERE kind IN ('search', 'rfc2544')"
_WAYS = (
    "(SELECT length(r.directions) - length(replace(r.directions, '→', '')) FROM results r "
    "WHERE r.id = figures.result_id)"
)


def upgrade() -> None:
    for name in ("bound", "mark"):
        op.add_column("figures", sa.Column(name, sa.Text, nullable=False, server_default=""))
    for name in ("loss_ratio", "line_percent"):
        op.add_column("figures", sa.Column(name, sa.Float))
    op.execute("DELETE FROM figures WHERE figure = 'most received'")
    op.execute("UPDATE figures SET mark = 'held'")
    op.execute("UPDATE figures SET figure = 'forwarded', mark = 'estimate' WHERE figure = 'held'")
    op.execute("UPDATE figures SET mark = 'irregular' WHERE irregular <> ''")
    op.execute("UPDATE figures SET mark = 'at least', bound = 'tester-limited' WHERE at_least")
    for column in ("rate_pps", "per_watt"):
        op.execute(f"UPDATE figures SET {column} = {column} * {_WAYS} WHERE {_WAYS} > 1 AND result_id IN ({_EACH_WAY})")


def downgrade() -> None:
    for name in ("bound", "mark", "loss_ratio", "line_percent"):
        op.drop_column("figures", name)
