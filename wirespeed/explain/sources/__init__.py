"""Where facts come from: result files, pasted texts, evidence typed by hand."""
