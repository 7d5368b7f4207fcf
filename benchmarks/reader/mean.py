"""The mean of two readers that `train.py` wrote, the second having gone on from the first: better than either on what
neither has seen (https://arxiv.org/abs/2203.05482).

    python benchmarks/reader/mean.py FIRST.safetensors SECOND.safetensors OUT.safetensors

A mean of two low-rank changes has the sum of their ranks; it is cut to the second's, which keeps more than .99 of it.
"""

import argparse
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor


def mean(first: dict[str, Tensor], second: dict[str, Tensor]) -> dict[str, Tensor]:
    found = {name: (first[name] + second[name]) / 2 for name in second if not name.endswith((".a", ".b"))}
    for name in (name.removesuffix(".a") for name in second if name.endswith(".a")):
        change = sum(own[f"{name}.b"] @ own[f"{name}.a"] for own in (first, second)) / 2
        left, weights, right = torch.linalg.svd(change, full_matrices=False)
        rank = len(second[f"{name}.a"])
        found[f"{name}.b"] = left[:, :rank] * weights[:rank].sqrt()
        found[f"{name}.a"] = weights[:rank].sqrt()[:, None] * right[:rank]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("first", "second", "out"):
        parser.add_argument(name, type=Path)
    arguments = parser.parse_args()
    readers = [
        {name: value.float() for name, value in load_file(path).items()} for path in (arguments.first, arguments.second)
    ]
    save_file({name: value.half().contiguous() for name, value in mean(*readers).items()}, arguments.out)


if __name__ == "__main__":
    main()
