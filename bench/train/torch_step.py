#!/usr/bin/python3
"""Whole training steps of a Qwen3 decoder in torch (Debian's python3-torch), for bench/train/compare-torch.ts.

Reads a shape as JSON in the first argument, then does one step for each line on stdin and answers with its
milliseconds. Written as one would write it for speed in torch 1.13: fused linear layers, in-place AdamW (foreach).
"""

import json
import math
import sys
import time

import torch
from torch.nn.functional import cross_entropy, embedding, linear, silu

shape = json.loads(sys.argv[1])
torch.set_num_threads(shape["threads"])
torch.manual_seed(0)
hidden, heads, kv_heads, dim = shape["hidden"], shape["heads"], shape["kvHeads"], shape["headDim"]
batch, length, vocabulary = shape["batch"], shape["length"], shape["vocabulary"]

matrix = lambda *dims: (torch.randn(*dims) * 0.02).requires_grad_()
ones = lambda size: torch.ones(size, requires_grad=True)
table = matrix(vocabulary, hidden)
layers = [
    dict(
        n1=ones(hidden), q=matrix(heads * dim, hidden), k=matrix(kv_heads * dim, hidden), v=matrix(kv_heads * dim, hidden),
        qn=ones(dim), kn=ones(dim), o=matrix(hidden, heads * dim), n2=ones(hidden),
        gate=matrix(shape["inner"], hidden), up=matrix(shape["inner"], hidden), down=matrix(hidden, shape["inner"]),
    )
    for _ in range(shape["layers"])
]
last = ones(hidden)
parameters = [table, last] + [tensor for layer in layers for tensor in layer.values()]
optimizer = torch.optim.AdamW(parameters, lr=1e-4, weight_decay=0.1, foreach=True)

angles = torch.arange(length)[:, None] * 10000.0 ** (-torch.arange(0, dim, 2) / dim)
cosine, sine = angles.cos().repeat(1, 2), angles.sin().repeat(1, 2)
bias = torch.full((length, length), -1e9).triu(1)
ids = torch.randint(vocabulary, (batch, length))
targets = torch.randint(vocabulary, (batch * length,))


def norm(x, weight):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * weight


def rotate(x):
    a, b = x.chunk(2, dim=-1)
    return x * cosine + torch.cat([-b, a], dim=-1) * sine


def forward():
    x = embedding(ids, table)
    for w in layers:
        seen = norm(x, w["n1"])
        split = lambda y, count: y.view(batch, length, count, dim)
        q = rotate(norm(split(linear(seen, w["q"]), heads), w["qn"]).transpose(1, 2))
        k = rotate(norm(split(linear(seen, w["k"]), kv_heads), w["kn"]).transpose(1, 2))
        v = split(linear(seen, w["v"]), kv_heads).transpose(1, 2)
        q = q.reshape(batch, kv_heads, -1, dim)
        scores = (q @ k.transpose(2, 3) * (1 / math.sqrt(dim))).view(batch, heads, length, length) + bias
        mixed = scores.softmax(-1).view(batch, kv_heads, -1, length) @ v
        x = x + linear(mixed.view(batch, heads, length, dim).transpose(1, 2).reshape(batch, length, -1), w["o"])
        seen = norm(x, w["n2"])
        x = x + linear(silu(linear(seen, w["gate"])) * linear(seen, w["up"]), w["down"])
    return linear(norm(x, last), table)


print("ready", sum(p.numel() for p in parameters), flush=True)
for _ in sys.stdin:
    start = time.perf_counter()
    optimizer.zero_grad(set_to_none=True)
    loss = cross_entropy(forward().view(batch * length, vocabulary), targets)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(parameters, 1.0)
    optimizer.step()
    loss.item()
    print((time.perf_counter() - start) * 1000, flush=True)
