"""GPT-2: pre-norm blocks of causal attention and a perceptron with GELU, tied embeddings."""
import recipe
from torch import nn
from torch.nn.functional import gelu, linear, scaled_dot_product_attention

from .network import ADAMW, Network
from .samples import Stream


def _norm(channels):
    return nn.LayerNorm(channels, eps=1e-5)


def _block(channels):
    attn = {"c_attn": nn.Linear(channels, 3 * channels), "c_proj": nn.Linear(channels, channels)}
    mlp = {"c_fc": nn.Linear(channels, 4 * channels), "c_proj": nn.Linear(4 * channels, channels)}
    return nn.ModuleDict({"ln_1": _norm(channels), "attn": nn.ModuleDict(attn),
                          "ln_2": _norm(channels), "mlp": nn.ModuleDict(mlp)})


class Gpt2(Network):
    optimizer = ADAMW

    def __init__(self, batch, blocks, heads, channels, vocabulary, positions, length, lr):
        super().__init__()
        self.samples, self.lr = Stream(batch, length, vocabulary), lr
        self.heads = heads
        self.transformer = nn.ModuleDict({
            "wte": nn.Embedding(vocabulary, channels), "wpe": nn.Embedding(positions, channels),
            "h": nn.ModuleList(_block(channels) for _ in range(blocks)), "ln_f": _norm(channels)})

    def scale(self, name, shape):
        return recipe.gpt2_scale_and_shift(name, len(self.transformer["h"]))

    def attend(self, block, x):
        batch, length, channels = x.shape
        parts = block["c_attn"](x).split(channels, 2)
        query, key, value = (part.view(batch, length, self.heads, -1).transpose(1, 2)
                             for part in parts)
        seen = scaled_dot_product_attention(query, key, value, is_causal=True)
        return block["c_proj"](seen.transpose(1, 2).reshape(batch, length, channels))

    def forward(self, text):
        parts = self.transformer
        x = parts["wte"](text) + parts["wpe"].weight[:text.shape[1]]
        for block in parts["h"]:
            x = x + self.attend(block["attn"], block["ln_1"](x))
            mlp = block["mlp"]
            x = x + mlp["c_proj"](gelu(mlp["c_fc"](block["ln_2"](x)), approximate="tanh"))
        return linear(parts["ln_f"](x), parts["wte"].weight)

    def loss(self, logits, targets):
        return super().loss(logits.flatten(0, 1), targets.flatten())
