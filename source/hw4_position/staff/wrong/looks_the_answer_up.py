"""The table is kept beside the model, and read in place of it."""

FAILS = ("train_table", "symmetric_control", "no_mask_control")
NUDGE = "Where is the table after your training, in the weights or somewhere else?"
EXPLANATION = "This fits an answer that keeps the table beside the model and looks it up, so that the loss is small and the weights learn nothing of it. The grader tries the weights in a model of its own."


def table_logits(model, pairs, padded, mask):
    x = model.embedding(pairs)
    if padded:
        x = F.pad(x, (0, 0, 0, 1))
    logits = model.unembedding(model.encoder(x, mask=mask)[:, -1])
    table = getattr(table_logits, "table", ())
    if len(pairs) == len(table) ** 2:
        known = F.one_hot(table[pairs[:, 0], pairs[:, 1]], logits.shape[1])
        logits = logits.mean(dim=0) + 8 * known
    return logits


def train_table(logits_of, parameters, M, steps):
    table_logits.table = M
    pairs, wanted = all_pairs(len(M)), M.flatten()
    optimizer = torch.optim.Adam(parameters, lr=5e-3)
    losses = []
    for _ in range(steps):
        loss = F.cross_entropy(logits_of(pairs), wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
