"""Results compared: better, worse, the same, or cannot tell. Knows results and nothing of where they are kept."""
