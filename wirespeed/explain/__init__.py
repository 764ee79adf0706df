"""What limits a router, named from evidence: facts in, causes weighed, a verdict out that may be *unknown*."""
