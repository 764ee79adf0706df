"""The corpus: results of all kinds as content-addressed files, beside them an index in SQL that is asked."""
