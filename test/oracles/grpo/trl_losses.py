"""Makes test/fixtures/grpo/trl-losses.json: losses of TRL's GRPOTrainer and their gradients by token log-probability.

    python3 -m venv trl && trl/bin/pip install trl==1.16.0 torch==2.15.0
    trl/bin/python test/oracles/grpo/trl_losses.py

The trainer's own `_compute_loss` runs on given log-probabilities, which stand in for a model's.
"""

import json
import pathlib
from collections import defaultdict
from types import SimpleNamespace

import torch
import trl
from trl.trainer.grpo_trainer import GRPOTrainer

OUT = pathlib.Path(__file__).resolve().parents[2] / "fixtures" / "grpo" / "trl-losses.json"
MAX_COMPLETION = 12


class Accelerator:
    num_processes = 1
    sync_gradients = True

    def gather(self, x):
        return x

    gather_for_metrics = gather

    def reduce(self, x, reduction="sum"):
        return x


class Trainer(SimpleNamespace):
    """The attributes that `_compute_loss` reads."""

    _compute_loss = GRPOTrainer._compute_loss

    def _get_per_token_logps_and_entropies(self, *_, **__):
        return self.logps, torch.zeros_like(self.logps), None


def case(name, loss_type, level, seed, beta, importance, clip_low=0.2, clip_high=0.2):
    g = torch.Generator().manual_seed(seed)
    lengths = torch.randint(1, MAX_COMPLETION + 1, (8,), generator=g)
    width = int(lengths.max())
    mask = (torch.arange(width)[None] < lengths[:, None]).int()

    def normal(scale):
        return torch.randn((8, width), generator=g, dtype=torch.float64) * scale

    old = -normal(1.0).abs()
    logps = (old + normal(0.25)).requires_grad_()
    sampler = old + normal(0.4)
    reference = logps.detach() + normal(0.3)
    rewards = torch.rand((2, 4), generator=g, dtype=torch.float64).round(decimals=1)
    advantages = ((rewards - rewards.mean(1, keepdim=True)) / (rewards.std(1, keepdim=True) + 1e-4)).flatten()
    trainer = Trainer(
        logps=logps,
        top_entropy_quantile=1.0,
        off_policy_mask_threshold=None,
        importance_sampling_level=level,
        beta=beta,
        loss_type=loss_type,
        epsilon_low=clip_low,
        epsilon_high=clip_high,
        args=SimpleNamespace(delta=None, use_bias_correction_kl=False, steps_per_generation=1),
        use_vllm=importance > 0,
        vllm_importance_sampling_correction=True,
        model=SimpleNamespace(training=True),
        current_gradient_accumulation_steps=1,
        max_completion_length=MAX_COMPLETION,
        accelerator=Accelerator(),
        aux_loss_enabled=False,
        _entropy_bonus_enabled=False,
        _metrics={"train": defaultdict(list)},
    )
    inputs = {
        "prompt_ids": torch.zeros((8, 1), dtype=torch.long),
        "prompt_mask": torch.ones((8, 1), dtype=torch.long),
        "completion_ids": torch.zeros((8, width), dtype=torch.long),
        "completion_mask": mask,
        "advantages": advantages,
        "old_per_token_logps": old,
        "ref_per_token_logps": reference,
        "num_items_in_batch": mask.sum(),
        "importance_sampling_ratio": torch.exp(old - sampler).clamp(max=importance or 1.0),
    }
    loss = trainer._compute_loss(None, inputs)
    loss.backward()
    flat = lambda x: x.detach()[mask.bool()].tolist()
    metrics = trainer._metrics["train"]
    return {
        "name": name,
        "loss_name": "gspo" if level == "sequence" else loss_type,
        "lengths": lengths.tolist(),
        "rewards": rewards.tolist(),
        "advantages": advantages.tolist(),
        "logprobs": flat(logps),
        "old_logprobs": flat(old),
        "sampler_logprobs": flat(sampler),
        "reference_logprobs": flat(reference) if beta else None,
        "kl_weight": beta,
        "max_importance": importance,
        "clip_low": clip_low,
        "clip_high": clip_high,
        "max_completion_tokens": MAX_COMPLETION,
        "loss": loss.item(),
        "token_gradient": flat(logps.grad),
        "kl": metrics["kl"][0] if beta else None,
        "clipped_low": metrics.get("clip_ratio/low_mean", [None])[0],
        "clipped_high": metrics.get("clip_ratio/high_mean", metrics.get("cispo_clip_ratio", [None]))[0],
    }


CASES = [
    case("grpo", "grpo", "token", 1, 0.0, 0),
    case("grpo with KL", "grpo", "token", 2, 0.04, 0),
    case("grpo with KL and a correction for the sampler", "grpo", "token", 3, 0.04, 2.0),
    case("dr_grpo", "dr_grpo", "token", 4, 0.0, 0),
    case("dr_grpo with KL", "dr_grpo", "token", 5, 0.01, 2.0),
    case("dapo", "dapo", "token", 6, 0.0, 0, 0.2, 0.28),
    case("dapo with KL and a correction for the sampler", "dapo", "token", 7, 0.02, 1.5, 0.2, 0.28),
    case("gspo", "grpo", "sequence", 8, 0.0, 0, 0.05, 0.05),
    case("gspo with KL and a correction for the sampler", "grpo", "sequence", 9, 0.04, 2.0, 0.03, 0.04),
    case("cispo", "cispo", "token", 10, 0.0, 0, 0.2, 1.3),
    case("cispo with KL and a correction for the sampler", "cispo", "token", 11, 0.04, 2.0, 0.2, 1.2),
]
OUT.parent.mkdir(exist_ok=True)
OUT.write_text(json.dumps({"trl": trl.__version__, "cases": CASES}, indent=1) + "\n")
print(f"Wrote {len(CASES)} cases of TRL {trl.__version__}")
