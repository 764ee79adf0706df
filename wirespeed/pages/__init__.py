"""What all pages share, whether they stand in a file or are served: the stylesheet, words that are safe to show, and
how templates are read."""
