"""Dashboards as code: a module for each, `panels` for panels, `board` for parts of all dashboards."""
