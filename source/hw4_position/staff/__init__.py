"""Staff files of hw4_position: they never reach a student."""
