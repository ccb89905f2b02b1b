"""One student's mark -> the reasons for it, for staff who have to answer "my answer is right".

Input: stored facts and marks, and hidden inputs drawn again. Output: text for a terminal, and a
notebook with the student's cells and these inputs. Both contain expected values and hidden inputs,
so neither is ever for students. Student code runs only in the sandbox.
"""
