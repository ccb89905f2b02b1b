"""The projections have a bias, which the numpy head does not have."""

FAILS = ("port", "port_positions", "port_gradients", "port_vectorised")
NUDGE = "Look at the parameters that your model has beyond the table's."
EXPLANATION = (
    "Your linear layers have a bias. The numpy head multiplies by a matrix and adds nothing."
)
EDITS = {
    "self.Qm = nn.Linear(width, qk_dim, bias=False)": "self.Qm = nn.Linear(width, qk_dim)",
    "self.Km = nn.Linear(width, qk_dim, bias=False)": "self.Km = nn.Linear(width, qk_dim)",
    "self.Vm = nn.Linear(width, v_dim, bias=False)": "self.Vm = nn.Linear(width, v_dim)",
}
