"""Staff files of hw2_transformer: they never reach a student."""
