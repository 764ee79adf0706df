"""What is written of the programs from the programs themselves: man pages, completions, the pages of the site."""
