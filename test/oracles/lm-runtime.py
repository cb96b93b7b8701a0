"""Makes test/fixtures/lm-runtime: three tiny random models as Hugging Face directories, each with what transformers
makes of them. Needs transformers 4.57, tokenizers and torch:

    python3 test/oracles/lm-runtime.py
"""

import json
import pathlib
import shutil

import torch
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers, Regex, AddedToken
from transformers import (
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedTokenizerFast,
    Qwen2Config,
    Qwen2ForCausalLM,
    Qwen3Config,
    Qwen3ForCausalLM,
)

ROOT = pathlib.Path(__file__).resolve().parents[1] / "fixtures" / "lm-runtime"
# Qwen's split of words, numbers and white space.
SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
CHATML = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>\\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)
LLAMA3 = (
    "{{- bos_token }}{%- for message in messages %}"
    "{{- '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n' + message['content'] | trim + '<|eot_id|>' }}"
    "{%- endfor %}{%- if add_generation_prompt %}{{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}{%- endif %}"
)
CORPUS = [
    "Frame 0: Observe: red chair ahead, near. Frame 1: After rotate left 90 degrees, Observe: sofa on the left.",
    "Question: which way did I turn? Choices: A. left B. right C. front D. back Answer with the letter of one choice.",
    "First reason step by step inside <think> </think>, then give the answer inside <answer> </answer>.",
] * 20

CONVERSATIONS = [
    [{"role": "user", "content": "Which way did I turn?"}],
    [
        {"role": "system", "content": "You are an agent. Think inside <think> </think>."},
        {"role": "user", "content": "Frame 0: Observe: red chair ahead, near.\nQuestion: left or right?\nA. left\nB. right"},
    ],
    [{"role": "user", "content": "  Ünï­côdé 左右 👩‍🚀 e\u0301 don't  90°\t12345\n\n  end  "}],
]

SHAPE = dict(
    hidden_size=48,
    num_hidden_layers=2,
    num_attention_heads=4,
    num_key_value_heads=2,
    intermediate_size=80,
    max_position_embeddings=512,
    initializer_range=0.3,
)


def make_tokenizer(control, tags):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(SPLIT), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer.train_from_iterator(CORPUS, trainers.BpeTrainer(vocab_size=300, initial_alphabet=alphabet, show_progress=False))
    tokenizer.add_special_tokens([AddedToken(t, normalized=False, special=True) for t in control])
    tokenizer.add_tokens([AddedToken(t, normalized=False, special=False) for t in tags])
    return tokenizer


def make(name, config_class, model_class, control, bos, eos, extra_eos, template, shards=None, **config):
    directory = ROOT / name
    shutil.rmtree(directory, ignore_errors=True)
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=make_tokenizer(control, ["<think>", "</think>"]),
        bos_token=bos,
        eos_token=eos,
        chat_template=template,
        clean_up_tokenization_spaces=False,
    )
    torch.manual_seed(7)
    ids = tokenizer.convert_tokens_to_ids
    model = model_class(config_class(vocab_size=len(tokenizer), **SHAPE, **config)).eval()
    with torch.no_grad():
        for key, value in model.named_parameters():
            if value.dim() == 1:
                value.normal_(1.0 if key.endswith("weight") else 0.0, 0.1)
    model.generation_config.eos_token_id = [ids(eos), ids(extra_eos)]
    model.generation_config.bos_token_id = None
    model.config.eos_token_id = ids(eos)
    # Stored, and run, at the precision of the file.
    model = model.to(torch.bfloat16 if name == "qwen3" else torch.float16 if name == "qwen2" else torch.float32)
    model.save_pretrained(directory, **({"max_shard_size": shards} if shards else {}))
    tokenizer.save_pretrained(directory)
    model = model_class.from_pretrained(directory, dtype=torch.float32).eval()
    cases = []
    for messages in CONVERSATIONS:
        prompt = tokenizer.apply_chat_template(messages, add_generation_prompt=True, return_tensors="pt")
        with torch.no_grad():
            out = model.generate(
                prompt,
                attention_mask=torch.ones_like(prompt),
                max_new_tokens=32,
                do_sample=False,
                pad_token_id=ids(extra_eos),
                output_logits=True,
                return_dict_in_generate=True,
            )
        tokens = out.sequences[0, prompt.shape[1] :].tolist()
        logits = torch.stack(out.logits)[:, 0]
        logprobs = logits.log_softmax(-1)
        top = logits.topk(2).values
        cases.append(
            {
                "messages": messages,
                "promptTokenIds": prompt[0].tolist(),
                "tokenIds": tokens,
                "logprobs": [round(logprobs[i, t].item(), 6) for i, t in enumerate(tokens)],
                "text": tokenizer.decode(tokens, skip_special_tokens=True),
                # Smallest lead of the likeliest token: rounding must not be able to change the order.
                "margin": round((top[:, 0] - top[:, 1]).min().item(), 4),
            }
        )
    (directory / "expected.json").write_text(json.dumps(cases, indent=1, ensure_ascii=False) + "\n")
    print(name, sum(p.numel() for p in model.parameters()), [(len(c["tokenIds"]), c["margin"]) for c in cases])


CHAT = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
LLAMA = ["<|begin_of_text|>", "<|end_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"]
make("qwen2", Qwen2Config, Qwen2ForCausalLM, CHAT, None, "<|im_end|>", "<|endoftext|>", CHATML, tie_word_embeddings=True)
make(
    "qwen3", Qwen3Config, Qwen3ForCausalLM, CHAT, None, "<|im_end|>", "<|endoftext|>", CHATML, tie_word_embeddings=True, head_dim=16,
    rope_theta=1000000.0,
)
make(
    "llama", LlamaConfig, LlamaForCausalLM, LLAMA, "<|begin_of_text|>", "<|eot_id|>", "<|end_of_text|>", LLAMA3,
    shards="150KB", tie_word_embeddings=False, rope_theta=10000.0,
    rope_scaling=dict(rope_type="llama3", factor=4.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=128),
)
