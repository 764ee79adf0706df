"""The benchmarks of RFC 2544 and of those that update it (5180, 6201, 9004), as schedules of trials."""
