"""One student's mark -> why it is what it is, for staff who have to answer "my answer is right".

Comes in: stored facts and marks, hidden inputs drawn again. Goes out: text for a terminal, and a
notebook with the student's cells and these inputs. Both have expected values and hidden inputs, so
neither is ever for students. Student code runs in the sandbox alone.
"""
