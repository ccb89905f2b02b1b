"""Staff files of hw5_memorization: they never reach a student."""
