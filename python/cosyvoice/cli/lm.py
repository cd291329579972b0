"""``cosyvoice lm``: language models, trained, compiled, and asked."""

from __future__ import annotations

import dataclasses
import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cosyvoice.cli.options import Json

if TYPE_CHECKING:
    from cosyvoice.lm import Score, Total

app = typer.Typer(
    help="Train, compile and ask n-gram language models.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

Model = Annotated[Path, typer.Argument(help="A compiled model, of `cosyvoice lm build`.", show_default=False)]


class Unit(StrEnum):
    """What a model's "words" are."""

    WORD = "word"
    TOKEN = "token"


@app.command()
def build(
    arpa: Annotated[
        Path, typer.Argument(metavar="IN.arpa[.gz]", help="A model in the ARPA format; - reads standard input.")
    ],
    out: Annotated[Path, typer.Argument(metavar="OUT.bin", help="The compiled model.", show_default=False)],
    quantise: Annotated[
        bool,
        typer.Option("--quantise", help="Round probabilities of bigrams and longer to one of 256: a smaller file."),
    ] = False,
    unit: Annotated[
        Unit,
        typer.Option(help="What the model's words are: words, or a bundle's pieces, for languages without spaces."),
    ] = Unit.WORD,
    tokens: Annotated[
        Path | None,
        typer.Option(
            exists=True, dir_okay=False, help="That bundle's tokens.txt, with --unit token.", show_default=False
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Compile a model into a file that engines map."""
    if (unit is Unit.TOKEN) != (tokens is not None):
        raise typer.BadParameter("--unit token and --tokens go together: pieces are those of one tokens.txt")
    from cosyvoice.lm import build as compile_arpa

    facts = compile_arpa(arpa, out, quantise=quantise, unit=unit.value, tokens=tokens)
    _show_facts({"path": str(out)} | facts, as_json=as_json)


@app.command()
def info(model: Model, as_json: Json = False) -> None:
    """Say what a compiled model is, and whether its bytes are what was written."""
    from cosyvoice.lm import LanguageModel

    opened = LanguageModel.open(str(model))
    good = opened.verify()
    _show_facts({"path": str(model)} | opened.facts() | {"good": good}, as_json=as_json)
    if not good:
        typer.echo(f"cosyvoice: {model}: its bytes are not those that were written; copy or build it again", err=True)
        raise typer.Exit(1)


@app.command()
def score(
    model: Model,
    text: Annotated[
        Path, typer.Argument(metavar="[TEXT]", help="Sentences, one a line; - reads standard input.")
    ] = Path("-"),
    total_only: Annotated[bool, typer.Option("--total", help="Leave the words out.")] = False,
    as_json: Json = False,
) -> None:
    """Print log10 of each word's probability after those before it, and the perplexity."""
    from cosyvoice.lm import LanguageModel, Scorer
    from cosyvoice.lm.text import read_sentences

    scorer = Scorer(LanguageModel.open(str(model)))
    rows = []
    for words in read_sentences(text):
        scores = scorer.score(words)
        if total_only:
            continue
        if as_json:
            rows.append(
                {"log10": sum(one.log10 for one in scores), "words": [dataclasses.asdict(one) for one in scores]}
            )
        else:
            typer.echo(_sentence_line(scores))
    total = scorer.total
    if total.sentences == 0:
        typer.echo(f"cosyvoice: {text}: no sentences; expected one a line", err=True)
        raise typer.Exit(1)
    if as_json:
        typer.echo(json.dumps(_total_row(total) | ({} if total_only else {"scores": rows}), ensure_ascii=False))
    else:
        typer.echo(_total_line(total))


@app.command()
def train(
    text: Annotated[
        Path,
        typer.Argument(
            help="Sentences as transcripts write them, one a line; may be a gzip file; - reads standard input."
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="The ARPA file; packed where it ends in .gz.")] = Path("-"),
    order: Annotated[int, typer.Option("--order", "-n", min=1, max=5, help="The longest n-grams, in words.")] = 4,
    prune: Annotated[
        str,
        typer.Option(
            metavar="N,N…",
            help="Leave out n-grams that the text has no more often than this, by order from 1; the last holds for the rest.",
        ),
    ] = "0",
    background: Annotated[
        Path | None,
        typer.Option(help="Other text, whose model is mixed into that of TEXT.", show_default=False),
    ] = None,
    background_weight: Annotated[float, typer.Option(help="What the background counts for, between 0 and 1.")] = 0.3,
    background_prune: Annotated[str, typer.Option(metavar="N,N…", help="As --prune, for the background.")] = "0",
    words: Annotated[
        int | None,
        typer.Option(min=1, help="Keep so many words, the most frequent; others become <unk>.", show_default=False),
    ] = None,
    vocabulary: Annotated[
        Path | None, typer.Option(help="Words that the model has in any case, such as names.", show_default=False)
    ] = None,
    as_json: Json = False,
) -> None:
    """Train a model with modified Kneser-Ney smoothing and write it in the ARPA format."""
    from cosyvoice.lm import TrainOptions
    from cosyvoice.lm import train as train_model
    from cosyvoice.lm.text import read_sentences

    options = TrainOptions(
        order=order,
        prune=_thresholds("--prune", prune),
        most_words=words,
        vocabulary=() if vocabulary is None else tuple(word for line in read_sentences(vocabulary) for word in line),
        background_weight=background_weight,
        background_prune=_thresholds("--background-prune", background_prune),
    )
    report = train_model(read_sentences(text), out, options, None if background is None else read_sentences(background))
    to_standard_output = str(out) == "-"
    if as_json:
        typer.echo(json.dumps(dataclasses.asdict(report)), err=to_standard_output)
    else:
        counts = ", ".join(f"{count:,}" for count in report.ngrams)
        typer.echo(
            f"{out}: {report.sentences:,} sentences, {report.words:,} words; n-grams by order: {counts}",
            err=to_standard_output,
        )
    if report.fallback:
        orders = ", ".join(map(str, report.fallback))
        typer.echo(
            f"cosyvoice: too little text for the discounts of order {orders}: 0.5, 1 and 1.5 were used", err=True
        )


def _thresholds(option: str, written: str) -> tuple[int, ...]:
    try:
        return tuple(int(number) for number in written.replace(",", " ").split())
    except ValueError as error:
        raise typer.BadParameter(f"{option} is {written!r}; expected numbers such as 0,0,1") from error


def _show_facts(facts: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(facts, ensure_ascii=False))
        return
    shown = facts | {
        "ngrams": ", ".join(f"{count:,}" for count in facts["ngrams"]),
        "bytes": f"{facts['bytes']:,}",
        "tokens_sha256": facts["tokens_sha256"] or "-",
    }
    for key, value in shown.items():
        typer.echo(f"{key:18}{('no', 'yes')[value] if isinstance(value, bool) else value}")


def _sentence_line(scores: list[Score]) -> str:
    words = "  ".join(f"{one.word}{'' if one.known else ' (unknown)'} {one.log10:.4f}" for one in scores)
    return f"{words}  = {sum(one.log10 for one in scores):.4f}"


def _total_row(total: Total) -> dict[str, Any]:
    return {
        "sentences": total.sentences,
        "words": total.words,
        "unknown": total.unknown,
        "log10": total.log10,
        "perplexity": total.perplexity,
        "perplexity_known": total.perplexity_known,
    }


def _total_line(total: Total) -> str:
    return (
        f"{total.sentences} sentences, {total.words} words with the sentences' ends, {total.unknown} unknown: "
        f"log10 {total.log10:.4f}, perplexity {total.perplexity:.2f}, of known words {total.perplexity_known:.2f}"
    )
