"""ARPA files for tests: read as maps, and random ones."""

from __future__ import annotations

import gzip


def read_arpa(path):
    """N-grams as tuples of words, each with log10 of its probability and of its back-off (0 where it has none)."""
    text = gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text("utf-8")
    grams = {}
    for line in text.splitlines():
        fields = line.split("\t")
        if len(fields) >= 2:
            grams[tuple(fields[1].split(" "))] = (float(fields[0]), float(fields[2]) if len(fields) > 2 else 0.0)
    return grams


def write_arpa(path, grams):
    """The reverse of ``read_arpa``."""
    order = max(map(len, grams))
    of_order = [sorted(gram for gram in grams if len(gram) == n) for n in range(1, order + 1)]
    lines = ["\\data\\", *(f"ngram {n}={len(some)}" for n, some in enumerate(of_order, 1))]
    for n, some in enumerate(of_order, 1):
        lines += ["", f"\\{n}-grams:"]
        for gram in some:
            probability, backoff = grams[gram]
            lines.append(f"{probability:.6f}\t{' '.join(gram)}" + (f"\t{backoff:.6f}" if n < order and backoff else ""))
    path.write_text("\n".join([*lines, "", "\\end\\", ""]), "utf-8")


def random_grams(random, order, words, grams, unknown=True):
    """A model whose n-grams begin with others of it, as they must, but do not always end with others of it."""
    words = [*words, "<s>", "</s>", *(["<unk>"] if unknown else [])]
    made = {}

    def add(gram):
        backoff = random.choice([0.0, random.uniform(-2.0, 0.3)])
        made.setdefault(gram, (random.uniform(-5.0, -0.01), backoff if gram[-1] != "</s>" else 0.0))

    for word in words:
        add((word,))
    for _ in range(grams if order > 1 else 0):
        gram = [random.choice(words) for _ in range(random.randint(2, order))]
        gram = [gram[0], *(word for word in gram[1:] if word != "<s>")]  # <s> follows nothing
        gram = gram[: gram.index("</s>") + 1] if "</s>" in gram else gram  # </s> is followed by nothing
        for start in range(len(gram) - 1):
            if start == 0 or random.random() < 0.8:  # KenLM has room for a few that are missing
                for length in range(2, len(gram) - start + 1):
                    add(tuple(gram[start : start + length]))
    return made
