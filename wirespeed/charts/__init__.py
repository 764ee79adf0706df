"""Charts as plain values, whoever draws them: the page in a browser, or a picture in a file."""
