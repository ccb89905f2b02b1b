"""Ten copies in other words, written by hand: the same idea, and hardly a statement the same.

Each is the id of an answer's cell, somebody's own answer, and what somebody else made of it.
"""

HEAD = """\
class PytorchTransformer(nn.Module):
    def __init__(self, input_dim, qk_dim, v_dim, pos_dim=None, max_seq_len=10):
        super().__init__()
"""
PARAPHRASES = (
    (
        "port_answer",
        HEAD
        + """\
        self.use_pos = pos_dim is not None
        total = input_dim
        if self.use_pos:
            self.pos = nn.Embedding(max_seq_len, pos_dim)
            total = total + pos_dim
        self.Qm = nn.Linear(total, qk_dim, bias=False)
        self.Km = nn.Linear(total, qk_dim, bias=False)
        self.Vm = nn.Linear(total, v_dim, bias=False)
        self.scale = qk_dim ** -0.5

    def forward(self, seq):
        x = seq
        if self.use_pos:
            x = torch.cat((x, self.pos(torch.arange(x.shape[0]))), 1)
        sims = (self.Qm(x) * self.scale) @ self.Km(x).transpose(0, 1)
        return torch.softmax(sims, dim=1) @ self.Vm(x)
""",
        HEAD
        + """\
        extra = pos_dim if pos_dim else 0
        self.pos = nn.Embedding(max_seq_len, extra) if extra else None
        layers = {}
        for name, out in (("Qm", qk_dim), ("Km", qk_dim), ("Vm", v_dim)):
            layers[name] = nn.Linear(in_features=input_dim + extra, out_features=out, bias=False)
            setattr(self, name, layers[name])
        self.root = math.sqrt(qk_dim)

    def forward(self, seq):
        if self.pos is None:
            rows = seq
        else:
            places = torch.arange(len(seq))
            rows = torch.hstack([seq, self.pos(places)])
        queries = torch.div(self.Qm(rows), self.root)
        logits = torch.einsum("id,jd->ij", queries, self.Km(rows))
        attention = nn.functional.softmax(logits, dim=-1)
        return torch.matmul(attention, self.Vm(rows))
""",
    ),
    (
        "port_answer",
        HEAD
        + """\
        width = input_dim if pos_dim is None else input_dim + pos_dim
        self.all = nn.Parameter(torch.randn(width, 2 * qk_dim + v_dim) / width)
        self.pos = None if pos_dim is None else nn.Embedding(max_seq_len, pos_dim)
        self.sizes = [qk_dim, qk_dim, v_dim]

    def forward(self, seq):
        if self.pos is not None:
            seq = torch.cat([seq, self.pos.weight[: seq.shape[0]]], dim=-1)
        q, k, v = torch.split(seq @ self.all, self.sizes, dim=-1)
        e = torch.exp(q @ k.T / self.sizes[0] ** 0.5)
        return e @ v / e.sum(-1, keepdim=True)
""",
        HEAD
        + """\
        if pos_dim is None:
            self.pos = None
            n = input_dim
        else:
            self.pos = nn.Embedding(max_seq_len, pos_dim)
            n = input_dim + pos_dim
        self.qk = qk_dim
        self.joint = nn.Linear(n, qk_dim + qk_dim + v_dim, bias=False)

    def forward(self, seq):
        x = seq
        if self.pos is not None:
            table = self.pos(torch.arange(seq.size(0)))
            x = torch.concat((seq, table), axis=1)
        out = self.joint(x)
        first, second, third = out[:, : self.qk], out[:, self.qk : 2 * self.qk], out[:, 2 * self.qk :]
        dots = torch.mm(first, second.t())
        unnormalised = dots.div(math.sqrt(self.qk)).exp()
        totals = unnormalised.sum(dim=1).unsqueeze(1)
        return torch.mm(unnormalised, third) / totals
""",
    ),
    (
        "port_answer",
        HEAD
        + """\
        dims = input_dim + (pos_dim or 0)
        self.Qm, self.Km = (nn.Linear(dims, qk_dim, bias=False) for _ in range(2))
        self.Vm = nn.Linear(dims, v_dim, bias=False)
        if pos_dim:
            self.pos = nn.Embedding(max_seq_len, pos_dim)

    def forward(self, seq):
        if hasattr(self, "pos"):
            seq = torch.cat([seq, self.pos.weight.narrow(0, 0, len(seq))], dim=1)
        return F.scaled_dot_product_attention(*(m(seq)[None] for m in (self.Qm, self.Km, self.Vm)))[0]
""",
        HEAD
        + """\
        has_positions = bool(pos_dim)
        d = input_dim + pos_dim if has_positions else input_dim
        for label in "QK":
            self.add_module(label + "m", nn.Linear(d, qk_dim, bias=False))
        self.add_module("Vm", nn.Linear(d, v_dim, bias=False))
        self.pos = nn.Embedding(max_seq_len, pos_dim) if has_positions else None

    def forward(self, seq):
        inputs = seq
        if self.pos is not None:
            inputs = torch.column_stack((seq, self.pos.weight[torch.arange(seq.size(0))]))
        q = self.Qm(inputs).unsqueeze(0)
        k = self.Km(inputs).unsqueeze(0)
        v = self.Vm(inputs).unsqueeze(0)
        result = F.scaled_dot_product_attention(query=q, key=k, value=v)
        return result.squeeze(0)
""",
    ),
    (
        "port_answer",
        HEAD
        + """\
        self.pos = nn.Embedding(max_seq_len, pos_dim) if pos_dim else None
        size = input_dim + (pos_dim if pos_dim else 0)
        self.Qm = nn.Linear(size, qk_dim, bias=False)
        self.Km = nn.Linear(size, qk_dim, bias=False)
        self.Vm = nn.Linear(size, v_dim, bias=False)

    def forward(self, seq):
        if self.pos:
            seq = torch.cat([seq, self.pos(torch.arange(len(seq)))], dim=1)
        Q, K, V = self.Qm(seq), self.Km(seq), self.Vm(seq)
        rows = []
        for q in Q:
            w = F.softmax((K * q).sum(1) / len(q) ** 0.5, dim=0)
            rows.append((w[:, None] * V).sum(0))
        return torch.stack(rows)
""",
        HEAD
        + """\
        self.max_seq_len = max_seq_len
        if pos_dim is None:
            pos_dim = 0
        self.pos = nn.Embedding(max_seq_len, pos_dim) if pos_dim > 0 else None
        make = lambda outputs: nn.Linear(input_dim + pos_dim, outputs, bias=False)
        self.Qm, self.Km, self.Vm = make(qk_dim), make(qk_dim), make(v_dim)

    def head(self, query, keys, values):
        similarity = keys.mv(query).div(math.sqrt(query.numel()))
        return values.T.mv(similarity.softmax(0))

    def forward(self, seq):
        n = seq.shape[0]
        if self.pos is not None:
            seq = torch.cat((seq, self.pos.weight[:n, :]), -1)
        keys, values = self.Km(seq), self.Vm(seq)
        out = torch.empty(n, values.shape[1])
        for i in range(n):
            out[i] = self.head(self.Qm(seq[i]), keys, values)
        return out
""",
    ),
    (
        "identity_answer",
        """\
def identity_weights():
    corners = np.array([[1, 0], [-0.5, 0.87], [-0.5, -0.87]])
    return 30 * corners, corners, np.eye(3)
""",
        """\
def identity_weights():
    x = [1.0, -0.5, -0.5]
    y = [0.0, math.sqrt(3) / 2, -math.sqrt(3) / 2]
    Qm = np.column_stack((x, y))
    Km = Qm.copy()
    Km *= 30
    Vm = np.diag([1.0] * 3)
    return Km, Qm, Vm
""",
    ),
    (
        "identity_answer",
        """\
def identity_weights():
    big = 50
    Km = np.full((3, 3), -big) + 2 * big * np.eye(3)
    Qm = np.eye(3)
    return Km, Qm, np.eye(3)
""",
        """\
def identity_weights():
    keys = [[50 if row == column else -50 for column in range(3)] for row in range(3)]
    one = np.identity(3)
    return np.array(keys), one, one.copy()
""",
    ),
    (
        "copy_first_answer",
        """\
def copy_first_weights():
    pos = np.arange(6).reshape(-1, 1) * -1.0
    Km = np.zeros((4, 1)); Km[3, 0] = 50
    Qm = np.array([[1.0], [1], [1], [0]])
    Vm = np.eye(4)[:, :3]
    return Km, Qm, Vm, pos
""",
        """\
def copy_first_weights():
    pos = -np.linspace(0, 5, 6)[:, np.newaxis]
    Km = np.array([0, 0, 0, 50.0])[:, np.newaxis]
    Qm = np.ones_like(Km)
    Qm[-1] = 0
    top = np.identity(3)
    bottom = np.zeros((1, 3))
    Vm = np.concatenate((top, bottom), axis=0)
    return Km, Qm, Vm, pos
""",
    ),
    (
        "copy_first_answer",
        """\
def copy_first_weights():
    pos = np.zeros((8, 2))
    pos[0, 0], pos[1:, 1] = 1, 1
    Km = np.vstack([np.zeros((3, 2)), np.diag([25, -25])])
    Qm = np.ones((5, 2)) * np.array([1, 0.5])
    Vm = np.eye(5, 3)
    return Km, Qm, Vm, pos
""",
        """\
def copy_first_weights():
    is_first = np.arange(8) == 0
    pos = np.stack([is_first, ~is_first], axis=1).astype(float)
    Km = np.zeros((5, 2))
    for row, value in enumerate((25, -25)):
        Km[3 + row, row] = value
    Qm = np.tile([1, 0.5], (5, 1))
    Vm = np.zeros((5, 3))
    np.fill_diagonal(Vm, 1)
    return Km, Qm, Vm, pos
""",
    ),
    (
        "unique_answer",
        """\
def unique_weights():
    n, g = 5, 70
    pos = np.eye(n)
    Qm = np.eye(9)
    Km = np.diag([g] * 3 + [0] + [-g] * n).astype(float)
    Km[3, :3] = g / 2
    Vm = np.array([[-1.0]] * 3 + [[1.0]] + [[0.0]] * n)
    return Km, Qm, Vm, pos
""",
        """\
def unique_weights():
    gain = 70.0
    places = 5
    Km = np.zeros((4 + places, 4 + places))
    Km[range(3), range(3)] = gain
    Km[3][:3] = 0.5 * gain
    for p in range(4, 4 + places):
        Km[p, p] -= gain
    Qm = np.identity(len(Km))
    Vm = np.zeros((len(Km), 1))
    Vm[:3], Vm[3] = -1, 1
    return Km, Qm, Vm, np.identity(places)
""",
    ),
    (
        "unique_answer",
        """\
def unique_weights():
    pos = 2 * np.eye(6) - 1
    tokens = np.vstack([np.eye(3), np.zeros((7, 3))])
    here = np.vstack([np.zeros((4, 6)), np.eye(6)])
    Qm = np.hstack([tokens, here])
    Km = np.hstack([64 * tokens, -16 * here])
    Km[3, :3] = 32
    Vm = np.r_[-np.ones(3), 1, np.zeros(6)][:, None]
    return Km, Qm, Vm, pos
""",
        """\
def unique_weights():
    size = 6
    pos = np.where(np.eye(size) > 0, 1, -1)
    Qm = np.zeros((4 + size, 3 + size))
    Km = np.zeros((4 + size, 3 + size))
    for t in range(3):
        Qm[t, t], Km[t, t], Km[3, t] = 1, 64, 32
    for p in range(size):
        Qm[4 + p, 3 + p] = 1
        Km[4 + p, 3 + p] = -16
    Vm = np.array([-1] * 3 + [1] + [0] * size, dtype=float).reshape(-1, 1)
    return Km, Qm, Vm, pos
""",
    ),
)
