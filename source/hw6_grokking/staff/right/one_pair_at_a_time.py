"""Written for one pair, one frequency and one column; torch.vmap does it for all."""

import math

import torch


def naive_forward(w, pairs):
    def of_one(pair):
        x = w["W_E"][sentences(pair, len(w["W_E"]) - 1)] + w["W_pos"]  # (3, d)
        q, k, v = (x @ w[name].mT for name in ("W_Q", "W_K", "W_V"))  # (4, 3, d / 4)
        place = torch.arange(3)
        scores = (q @ k.mT).masked_fill(place > place[:, None], -math.inf)
        shares = torch.softmax(scores / math.sqrt(q.shape[2]), dim=2)
        x = x + (shares @ v @ w["W_O"].mT).sum(dim=0)
        x = x + (x @ w["W_in"].T).relu() @ w["W_out"].T
        return x @ w["W_U"].T

    return torch.vmap(of_one)(pairs)


def fast_forward(w, pairs):
    end = w["W_E"][-1] + w["W_pos"][2]
    before = w["W_E"][:-1] + w["W_pos"][:2, None]  # (2, p, d)
    asked = w["W_K"].mT @ (w["W_Q"] @ end)[:, :, None]  # (4, d, 1)
    scores = (before[:, None] @ asked)[..., 0] / math.sqrt(w["W_Q"].shape[1])  # (2, 4, p)
    own = (end @ asked)[:, 0] / math.sqrt(w["W_Q"].shape[1])
    values = before[:, None] @ w["W_V"].mT @ w["W_O"].mT  # (2, 4, p, d)
    own_value = (w["W_O"] @ (w["W_V"] @ end)[..., None])[..., 0]

    def of_one(pair):
        place = torch.arange(2)
        shares = torch.cat([scores[place, :, pair], own[None]]).softmax(dim=0)  # (3, 4)
        looked_up = torch.cat([values[place, :, pair], own_value[None]])  # (3, 4, d)
        x = end + (shares[..., None] * looked_up).sum(dim=(0, 1))
        x = x + w["W_out"] @ (w["W_in"] @ x).relu()
        return w["W_U"] @ x

    return torch.vmap(of_one)(pairs)


def mirror_share(trained, others):
    def is_known(pair):
        return (trained == pair.flip(0)).all(dim=1).any()

    return torch.vmap(is_known)(others).double().mean().item()


def fourier_power(E):
    tokens = torch.arange(len(E)).to(E)

    def power(k):
        angles = 2 * math.pi * k * tokens / len(E)
        return (angles.cos() @ E).square().sum() + (angles.sin() @ E).square().sum()

    powers = torch.vmap(power)(torch.arange(1, (len(E) + 1) // 2))
    return torch.softmax(powers.log(), dim=0)


def keep_and_remove(E, frequencies):
    inside = torch.tensor([k in frequencies for k in range(len(E) // 2 + 1)])

    def split(column):
        spectrum = torch.fft.rfft(column)
        part = torch.fft.irfft(torch.where(inside, spectrum, 0), n=len(E))
        return part + column.mean(), column - part

    return torch.vmap(split, in_dims=1, out_dims=1)(E)
