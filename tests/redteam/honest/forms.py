"""Right answers in forms that nobody thought of when the homework was written."""

from tests.redteam.attack import returned

HONEST = {
    expression: returned("identity_answer", expression)
    for expression in (
        "[Km, Qm, Vm]",
        "Km.tolist(), Qm.tolist(), Vm.tolist()",
        "tuple(map(torch.tensor, (Km, Qm, Vm)))",
        "tuple(nn.Parameter(torch.tensor(m)) for m in (Km, Qm, Vm))",
        "tuple(torch.tensor(m, dtype=torch.float16) for m in (Km, Qm, Vm))",
        "tuple(torch.tensor(m, dtype=torch.bfloat16) for m in (Km, Qm, Vm))",
        "torch.stack([torch.tensor(m) for m in (Km, Qm, Vm)])",
        "np.stack([Km, Qm, Vm])",
        "Km.astype(int), Qm.astype(np.int8), Vm.astype(bool)",
        "Km + 0j, Qm + 0j, Vm + 0j",
        "tuple(np.asmatrix(m) for m in (Km, Qm, Vm))",
        "tuple(np.ma.array(m) for m in (Km, Qm, Vm))",
        "tuple(torch.tensor(m).to_sparse() for m in (Km, Qm, Vm))",
        "tuple([[__import__('fractions').Fraction(int(x)) for x in r] for r in m] for m in (Km, Qm, Vm))",
        "tuple([[__import__('decimal').Decimal(int(x)) for x in r] for r in m] for m in (Km, Qm, Vm))",
        "tuple(list(map(torch.tensor, m)) for m in (Km, Qm, Vm))",
        "tuple([tuple(row) for row in m] for m in (Km, Qm, Vm))",
        "tuple(torch.tensor(m).T.contiguous().T for m in (Km, Qm, Vm))",
        "tuple(np.asfortranarray(m) for m in (Km, Qm, Vm))",
        "iter([Km, Qm, Vm])",
    )
}
