#!/usr/bin/python3
"""Ten steps of torch.optim.AdamW with clipping of the global norm.

Writes test/fixtures/lm-graph/adamw.json. Needs Debian's python3-torch (1.13) only:
    /usr/bin/python3 test/oracles/lm/adamw_reference.py
"""

import json
from pathlib import Path

import torch

OUT = Path(__file__).resolve().parents[2] / "fixtures" / "lm-graph" / "adamw.json"
OPTIONS = dict(lr=0.01, betas=(0.9, 0.95), eps=1e-8, weight_decay=0.1)
CLIP = 1.0


def main():
    torch.manual_seed(0)
    matrix, bias = torch.randn(3, 4).double(), torch.randn(4).double()
    start = dict(matrix=matrix.flatten().tolist(), bias=bias.tolist())
    matrix.requires_grad_(), bias.requires_grad_()
    optimizer = torch.optim.AdamW([dict(params=[matrix]), dict(params=[bias], weight_decay=0.0)], **OPTIONS)
    steps = []
    for step in range(10):
        # Small gradients are not clipped, large ones are.
        matrix.grad = torch.randn(3, 4).double() * 0.1 * (step + 1)
        bias.grad = torch.randn(4).double() * 0.1 * (step + 1)
        gradients = dict(matrix_gradient=matrix.grad.flatten().tolist(), bias_gradient=bias.grad.tolist())
        norm = torch.nn.utils.clip_grad_norm_([matrix, bias], CLIP).item()
        optimizer.step()
        after = dict(matrix=matrix.detach().flatten().tolist(), bias=bias.detach().tolist())
        steps.append(dict(**gradients, norm=norm, **after))
    OUT.write_text(json.dumps(dict(options=OPTIONS, clip=CLIP, start=start, steps=steps)) + "\n")


if __name__ == "__main__":
    main()
