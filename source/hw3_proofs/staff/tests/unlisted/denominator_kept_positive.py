"""The denominator is kept from being 0, and with it from being negative."""

FAILS = ("kernel_attention", "kernel_attention_cost")
WORDS = {"kernel_attention": "off by"}
EDITS = {
    "return phi_Q @ S / (phi_Q @ z)[:, None]": "return phi_Q @ S / (phi_Q @ z).clamp(min=1e-6)[:, None]"
}
