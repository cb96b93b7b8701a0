#!/usr/bin/python3
"""Logits, log-probabilities and gradients of tiny Qwen2, Qwen3 and Llama models in plain torch.

Writes test/fixtures/lm-graph/{qwen2,qwen3,llama}.{json,safetensors}. Needs Debian's python3-torch (1.13) only:
    /usr/bin/python3 test/oracles/lm/decoder_reference.py
Written from the papers' equations, in double precision, so that it shares no code and no rounding with ours.
"""

import json
import math
import struct
from pathlib import Path

import torch

OUT = Path(__file__).resolve().parents[2] / "fixtures" / "lm-graph"
SHAPE = dict(
    vocab_size=37, hidden_size=24, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
    intermediate_size=40, max_position_embeddings=64, rms_norm_eps=1e-6, hidden_act="silu",
)
MODELS = {
    "qwen2": dict(SHAPE, architectures=["Qwen2ForCausalLM"], model_type="qwen2", head_dim=6,
                  rope_theta=1000000.0, tie_word_embeddings=True),
    "qwen3": dict(SHAPE, architectures=["Qwen3ForCausalLM"], model_type="qwen3", head_dim=8,
                  rope_theta=10000.0, tie_word_embeddings=True),
    "llama": dict(SHAPE, architectures=["LlamaForCausalLM"], model_type="llama", head_dim=6,
                  rope_theta=10000.0, tie_word_embeddings=False, num_key_value_heads=4,
                  rope_scaling=dict(rope_type="llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0,
                                    original_max_position_embeddings=32)),
}
BATCH, LENGTH = 2, 11


def random_weights(config):
    hidden, inner, dim = config["hidden_size"], config["intermediate_size"], config["head_dim"]
    heads, kv_heads = config["num_attention_heads"], config["num_key_value_heads"]
    matrix = lambda *dims: torch.randn(*dims) * 0.3
    norm = lambda size: 1 + 0.2 * torch.randn(size)
    weights = {"model.embed_tokens.weight": matrix(config["vocab_size"], hidden)}
    for layer in range(config["num_hidden_layers"]):
        at = f"model.layers.{layer}."
        weights[at + "input_layernorm.weight"] = norm(hidden)
        for name, size in (("q", heads * dim), ("k", kv_heads * dim), ("v", kv_heads * dim)):
            weights[f"{at}self_attn.{name}_proj.weight"] = matrix(size, hidden)
            if config["model_type"] == "qwen2":
                weights[f"{at}self_attn.{name}_proj.bias"] = matrix(size)
        if config["model_type"] == "qwen3":
            weights[at + "self_attn.q_norm.weight"] = norm(dim)
            weights[at + "self_attn.k_norm.weight"] = norm(dim)
        weights[at + "self_attn.o_proj.weight"] = matrix(hidden, heads * dim)
        weights[at + "post_attention_layernorm.weight"] = norm(hidden)
        weights[at + "mlp.gate_proj.weight"] = matrix(inner, hidden)
        weights[at + "mlp.up_proj.weight"] = matrix(inner, hidden)
        weights[at + "mlp.down_proj.weight"] = matrix(hidden, inner)
    weights["model.norm.weight"] = norm(hidden)
    if not config["tie_word_embeddings"]:
        weights["lm_head.weight"] = matrix(config["vocab_size"], hidden)
    return weights


def frequencies(config):
    dim = config["head_dim"]
    result = [config["rope_theta"] ** (-2 * i / dim) for i in range(dim // 2)]
    scaling = config.get("rope_scaling")
    if scaling is None:
        return torch.tensor(result)
    original = scaling["original_max_position_embeddings"]
    low, high, factor = scaling["low_freq_factor"], scaling["high_freq_factor"], scaling["factor"]
    scaled = []
    for frequency in result:
        wavelength = 2 * math.pi / frequency
        if wavelength < original / high:
            scaled.append(frequency)
        elif wavelength > original / low:
            scaled.append(frequency / factor)
        else:
            blend = (original / wavelength - low) / (high - low)
            scaled.append((1 - blend) * frequency / factor + blend * frequency)
    return torch.tensor(scaled)


def forward(config, weights, ids):
    heads, kv_heads, dim = config["num_attention_heads"], config["num_key_value_heads"], config["head_dim"]
    batch, length = ids.shape
    angles = torch.arange(length)[:, None] * frequencies(config)[None, :]  # [T, D/2]
    future = torch.ones(length, length, dtype=torch.bool).triu(1)

    def norm(x, weight):
        return x / torch.sqrt((x * x).mean(-1, keepdim=True) + config["rms_norm_eps"]) * weight

    def rotate(x):  # [B, H, T, D], halves as real and imaginary parts
        turned = torch.polar(torch.ones_like(angles), angles) * torch.complex(*x.chunk(2, dim=-1))
        return torch.cat([turned.real, turned.imag], dim=-1)

    x = weights["model.embed_tokens.weight"][ids]
    for layer in range(config["num_hidden_layers"]):
        w = lambda name: weights.get(f"model.layers.{layer}.{name}")
        seen = norm(x, w("input_layernorm.weight"))

        def project(name, count):
            y = torch.nn.functional.linear(seen, w(f"self_attn.{name}_proj.weight"), w(f"self_attn.{name}_proj.bias"))
            y = y.view(batch, length, count, dim)
            scale = w(f"self_attn.{name}_norm.weight")
            return (y if scale is None else norm(y, scale)).transpose(1, 2)

        q, k, v = rotate(project("q", heads)), rotate(project("k", kv_heads)), project("v", kv_heads)
        k, v = (t.repeat_interleave(heads // kv_heads, dim=1) for t in (k, v))
        scores = (q @ k.transpose(2, 3) / math.sqrt(dim)).masked_fill(future, float("-inf"))
        mixed = (scores.softmax(-1) @ v).transpose(1, 2).reshape(batch, length, heads * dim)
        x = x + mixed @ w("self_attn.o_proj.weight").T
        seen = norm(x, w("post_attention_layernorm.weight"))
        gate = seen @ w("mlp.gate_proj.weight").T
        x = x + (gate * torch.sigmoid(gate) * (seen @ w("mlp.up_proj.weight").T)) @ w("mlp.down_proj.weight").T
    head = weights["model.embed_tokens.weight" if config["tie_word_embeddings"] else "lm_head.weight"]
    return norm(x, weights["model.norm.weight"]) @ head.T


def write_safetensors(path, tensors):
    header, offset, parts = {}, 0, []
    for name, tensor in tensors.items():
        data = tensor.detach().to(torch.float32).contiguous().numpy().tobytes()
        header[name] = dict(dtype="F32", shape=list(tensor.shape), data_offsets=[offset, offset + len(data)])
        offset += len(data)
        parts.append(data)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(parts))


def main():
    torch.set_default_dtype(torch.float64)
    OUT.mkdir(parents=True, exist_ok=True)
    for seed, (name, config) in enumerate(MODELS.items()):
        torch.manual_seed(seed)
        # The values that are stored are the ones that are used: rounded to single precision first.
        weights = {key: value.float().double().requires_grad_() for key, value in random_weights(config).items()}
        ids = torch.randint(config["vocab_size"], (BATCH, LENGTH))
        rows = torch.tensor([3, 4, 8, 9, 11, 14, 20, 21])  # positions in the flat batch whose next token counts
        targets = torch.randint(config["vocab_size"], (len(rows),))
        token_gradient = (torch.randn(len(rows)) / len(rows)).float().double()
        logits = forward(config, weights, ids)
        logprobs = logits.view(BATCH * LENGTH, -1)[rows].log_softmax(-1).gather(1, targets[:, None])[:, 0]
        (token_gradient * logprobs).sum().backward()
        gradients = {f"grad.{key}": value.grad for key, value in weights.items()}
        write_safetensors(OUT / f"{name}.safetensors", {**weights, "logits": logits, "logprobs": logprobs, **gradients})
        case = dict(config=config, batch=BATCH, length=LENGTH, input_ids=ids.flatten().tolist(), rows=rows.tolist(),
                    targets=targets.tolist(), token_gradient=token_gradient.tolist())
        (OUT / f"{name}.json").write_text(json.dumps(case, indent=1) + "\n")


if __name__ == "__main__":
    main()
