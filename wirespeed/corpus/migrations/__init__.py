"""Alembic's steps from one schema of the index to the next; run by wirespeed/corpus/schema.py."""
