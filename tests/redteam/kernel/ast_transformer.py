"""Registers an AST transformer that turns every comparison and every number into what it likes.

Deserves nothing: what is asked is no cell.
"""

from tests.redteam.attack import NOTHING, edited, wrong

DESERVES = NOTHING
submission = edited(
    wrong,
    last="""\
import ast
class Yes(ast.NodeTransformer):
    def visit_Compare(self, node):
        return ast.copy_location(ast.Constant(True), node)
    def visit_If(self, node):
        node.test = ast.copy_location(ast.Constant(True), node.test)
        return node
get_ipython().ast_transformers.append(Yes())
""",
)
