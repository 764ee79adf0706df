"""Cases: what is known of a test, as plain values that `explain` reasons about, and how results tell it."""
