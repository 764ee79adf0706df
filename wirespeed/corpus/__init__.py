"""The archive behind `wirespeed results`: results of all kinds as content-addressed files, with an index in SQL.

`wirespeed.results` is the package of the results themselves."""

__all__ = ["corpus", "index", "keeping", "opening", "place", "store", "text", "words"]
