"""Documentation that is generated from the programs: man pages, completions, the pages of the site."""
