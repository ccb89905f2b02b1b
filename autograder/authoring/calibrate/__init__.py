"""A homework -> tables on how true its marks are: what `check` tries a few times, tried in large numbers.

In: the homework's questions and known answers. Out: one `Table` for each part, with what fell short.
"""
