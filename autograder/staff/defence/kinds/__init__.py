"""The kinds of questions. Input: a studied answer. Output: a question with its key and evidence."""
