"""The name of the DUT is in the column `dut`, which was `box`."""

from __future__ import annotations

from alembic import op

revision = "004"
down_revision = "003"


def upgrade() -> None:
    _rename("box", "dut")


def downgrade() -> None:
    _rename("dut", "box")


def _rename(old: str, new: str) -> None:
    op.drop_index(f"ix_results_{old}", "results")
    op.alter_column("results", old, new_column_name=new)
    op.create_index(f"ix_results_{new}", "results", [new])
