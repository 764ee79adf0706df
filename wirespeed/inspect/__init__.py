"""Hardware and its limits: texts of a machine, facts read from them, budgets, problems, tables."""
