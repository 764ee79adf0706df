"""Upper limits of settings that the command line and start-up files share."""

MOST_ROUTES = 10_000_000
MOST_TRANSMITS = 10  # of questions whether an address is taken
MOST_NEIGHBORS = 262_144
MOST_PATH_SETS = 1_000_000
MOST_SEED = 2**32 - 1
MOST_SESSIONS = 1 << 24
