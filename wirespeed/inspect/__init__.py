"""What the hardware is and what it can carry: texts of a machine, facts read from them, budgets, marks, tables."""
