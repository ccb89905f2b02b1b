"""Staff files of hw3_proofs: they never reach a student."""
