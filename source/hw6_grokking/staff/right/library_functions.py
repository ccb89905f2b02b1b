"""torch's own attention, linear maps, look-ups, loss and norms; the step takes a closure."""

import torch
import torch.nn.functional as F


def naive_forward(w, pairs):
    width = w["W_E"].shape[1]
    x = F.embedding(sentences(pairs, len(w["W_E"]) - 1), w["W_E"]) + w["W_pos"]
    x = x.transpose(0, 1)  # (3, N, d), as torch wants it
    written, _ = F.multi_head_attention_forward(
        x, x, x, width, HEADS, None, None, None, None, False, 0.0,
        w["W_O"].permute(1, 0, 2).flatten(1), None,
        training=False, need_weights=False, attn_mask=torch.ones(3, 3).triu(1).bool(),
        use_separate_proj_weight=True, q_proj_weight=w["W_Q"].flatten(0, 1),
        k_proj_weight=w["W_K"].flatten(0, 1), v_proj_weight=w["W_V"].flatten(0, 1),
    )  # fmt: skip
    x = (x + written).transpose(0, 1)
    return F.linear(x + F.linear(F.relu(F.linear(x, w["W_in"])), w["W_out"]), w["W_U"])


def fast_forward(w, pairs):
    count, heads = len(pairs), (HEADS, -1)
    numbers, equals = w["W_E"].split([len(w["W_E"]) - 1, 1])
    W_Q, W_K, W_V = (w[name].flatten(0, 1) for name in ("W_Q", "W_K", "W_V"))
    at_equals = equals + w["W_pos"][2]

    def looked_up(matrix):
        first, second = (
            F.embedding(pairs[:, place], F.linear(numbers + w["W_pos"][place], matrix))
            for place in (0, 1)
        )
        third = F.linear(at_equals, matrix).expand(count, -1)
        return torch.stack([first, second, third], dim=1).unflatten(2, heads).transpose(1, 2)

    query = F.linear(at_equals, W_Q).unflatten(1, heads).unsqueeze(2).expand(count, -1, -1, -1)
    mixed = F.scaled_dot_product_attention(query, looked_up(W_K), looked_up(W_V))
    x = at_equals + F.linear(mixed.flatten(1), torch.cat(list(w["W_O"]), dim=1))
    return F.linear(x + F.linear(F.relu(F.linear(x, w["W_in"])), w["W_out"]), w["W_U"])


def one_epoch(w, optimizer, pairs):
    criterion = torch.nn.CrossEntropyLoss()
    sums = pairs.sum(dim=1).remainder(len(w["W_E"]) - 1)

    def closure():
        optimizer.zero_grad()
        loss = criterion(fast_forward(w, pairs).double(), sums)
        loss.backward()
        return loss

    return optimizer.step(closure).item()


def mirror_share(trained, others):
    p = 1 + torch.max(torch.cat([trained, others]))
    codes = trained[:, 0] + p * trained[:, 1]
    return torch.isin(others[:, 1] + p * others[:, 0], codes).double().mean()


def fourier_power(E):
    spectrum = torch.fft.fft(E, dim=0)[1 : len(E) // 2 + 1]
    return F.normalize(torch.linalg.vector_norm(spectrum, dim=1).square(), p=1, dim=0)


def keep_and_remove(E, frequencies):
    rows = torch.fft.fftfreq(len(E), 1 / len(E)).round().long().abs()  # 0, 1, 2, ..., 2, 1
    inside = torch.isin(rows, torch.tensor(frequencies, dtype=torch.long))[:, None]
    spectrum = torch.fft.fft(E, dim=0)
    kept = torch.where(inside | (rows == 0)[:, None], spectrum, 0)
    return torch.fft.ifft(kept, dim=0).real, torch.fft.ifft(spectrum * ~inside, dim=0).real
