"""The kinds of questions. Input: an answer and its recorded calls. Output: a question, its key and evidence."""
