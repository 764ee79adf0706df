"""Entry point of Alembic, on the connection that schema.py has opened, in its transaction."""

from __future__ import annotations

from alembic import context

from wirespeed.corpus.tables import METADATA

context.configure(connection=context.config.attributes["connection"], target_metadata=METADATA)
context.run_migrations()
