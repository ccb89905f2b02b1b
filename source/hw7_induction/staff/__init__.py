"""Staff files of hw7_induction: they never reach a student."""
