"""The forward pass is right, but leaves torch for numpy, so nothing can be learned."""

FAILS = ("port_gradients", "port_vectorised")
NUDGE = "Can a gradient flow from your output back to Qm.weight?"
EXPLANATION = (
    "The output is computed in numpy. Gradients do not pass through .detach() and .numpy()."
)
EDITS = {
    "K, Q, V = self.Km(seq), self.Qm(seq), self.Vm(seq)": "K, Q, V = (layer(seq).detach().numpy() for layer in (self.Km, self.Qm, self.Vm))",
    "scores = Q @ K.T / math.sqrt(K.shape[-1])": """outputs = []
        for query in Q:
            weights = np.exp(K @ query / math.sqrt(len(query)))
            outputs.append(weights / weights.sum() @ V)""",
    "return F.softmax(scores, dim=-1) @ V": "return torch.tensor(np.array(outputs))",
}
