"""The neurons are computed in numpy, with gradients by hand, where no product is counted."""

import torch

FAILS = ("fast_cost",)
WORDS = {"fast_cost": "cannot be all"}


def fast_forward(w, pairs):
    class Neurons(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, w_in, w_out):
            ctx.save_for_backward(x, w_in, w_out)
            x, w_in, w_out = (item.detach().numpy() for item in (x, w_in, w_out))
            return torch.from_numpy((x @ w_in.T).clip(min=0) @ w_out.T)

        @staticmethod
        def backward(ctx, slope):
            x, w_in, w_out = ctx.saved_tensors
            before = x @ w_in.T
            back = (slope @ w_out) * (before > 0)
            return back @ w_in, back.T @ x, slope.T @ before.clamp(min=0)

    a, b = pairs.unbind(dim=1)
    at_equals = w["W_E"][-1] + w["W_pos"][2]
    places = [w["W_E"][:-1] + w["W_pos"][0], w["W_E"][:-1] + w["W_pos"][1], at_equals[None]]
    query = w["W_Q"] @ at_equals / w["W_Q"].shape[1] ** 0.5
    directions = torch.einsum("hkd,hk->hd", w["W_K"], query)
    tokens = a, b, torch.zeros_like(a)
    scores = torch.stack([(x @ directions.T)[t] for x, t in zip(places, tokens)], dim=1)
    shares = scores.softmax(dim=1)
    x = at_equals
    for place, (table, token) in enumerate(zip(places, tokens)):
        values = torch.einsum("hdk,htk->thd", w["W_O"], table @ w["W_V"].mT)
        x = x + torch.einsum("nh,nhd->nd", shares[:, place], values[token])
    x = x + Neurons.apply(x, w["W_in"], w["W_out"])
    return x @ w["W_U"].T
