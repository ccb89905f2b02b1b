"""The kinds of questions. Comes in: a studied answer. Goes out: a question with its key and evidence."""
