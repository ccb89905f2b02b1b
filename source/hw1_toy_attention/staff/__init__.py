"""Staff files of hw1_toy_attention: they never reach a student."""
