"""Logits of Hugging Face transformers for the models of decoder_reference.py.

Writes test/fixtures/lm-graph/transformers.json. Needs packages that Debian lacks, in an environment of their own:
    python3 -m venv /tmp/reference && /tmp/reference/bin/pip install torch==2.4.1 transformers==4.51.3 'numpy<2'
    /tmp/reference/bin/python test/oracles/lm/transformers_reference.py
"""

import json
import tempfile
from pathlib import Path

import torch
import transformers
from safetensors.torch import load_file, save_file

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "lm-graph"


def main():
    result = {"versions": dict(transformers=transformers.__version__, torch=torch.__version__)}
    for name in ("qwen2", "qwen3", "llama"):
        case = json.loads((FIXTURES / f"{name}.json").read_text())
        tensors = load_file(FIXTURES / f"{name}.safetensors")
        weights = {key: value for key, value in tensors.items() if key.startswith(("model.", "lm_head."))}
        with tempfile.TemporaryDirectory() as directory:
            (Path(directory) / "config.json").write_text(json.dumps(case["config"]))
            save_file(weights, Path(directory) / "model.safetensors", metadata={"format": "pt"})
            model = transformers.AutoModelForCausalLM.from_pretrained(directory, attn_implementation="eager")
        ids = torch.tensor([case["input_ids"][: case["length"]]])
        with torch.no_grad():
            logits = model.float()(ids).logits[0]
        ours = tensors["logits"][0]
        print(name, "largest difference from the torch reference", (logits - ours).abs().max().item())
        result[name] = dict(logits=[round(value, 6) for value in logits.flatten().tolist()])
    (FIXTURES / "transformers.json").write_text(json.dumps(result) + "\n")


if __name__ == "__main__":
    main()
