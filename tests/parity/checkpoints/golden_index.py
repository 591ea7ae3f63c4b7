"""Makes `tests/fixtures/index/`: small indexes as FAISS writes them, built as RVC's training does. Run it with the packages
of `tests/parity/requirements.txt`:

    python tests/parity/checkpoints/golden_index.py
"""

import json
from pathlib import Path

import faiss
import numpy

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "index"


def rows(count, dim):
    """Numbers that look random and that every language computes alike: sin(0.7 n) cos(0.13 n)."""
    n = numpy.arange(count * dim, dtype=numpy.float64)
    return (numpy.sin(0.7 * n) * numpy.cos(0.13 * n)).astype(numpy.float32).reshape(count, dim)


def divided(count, dim, cells):
    index = faiss.index_factory(dim, f"IVF{cells},Flat")
    faiss.extract_index_ivf(index).nprobe = 1
    index.train(rows(count, dim))
    index.add(rows(count, dim))
    return index


# Kinds that RVC's training does not make: how FAISS calls them, and how they measure.
OTHERS = {
    "hnsw-flat": ("HNSW4,Flat", faiss.METRIC_L2), "hnsw-sq8": ("HNSW4,SQ8", faiss.METRIC_L2),
    "pq": ("PQ3x4np", faiss.METRIC_L2), "ivf-pq": ("IVF3,PQ3x4np", faiss.METRIC_L2),
    "sq8": ("SQ8", faiss.METRIC_L2), "sq6": ("SQ6", faiss.METRIC_L2), "sq4": ("SQ4", faiss.METRIC_L2),
    "sqfp16": ("SQfp16", faiss.METRIC_L2), "sqbf16": ("SQbf16", faiss.METRIC_L2),
    "ivf-sq8": ("IVF3,SQ8", faiss.METRIC_L2), "ivf-hnsw": ("IVF3_HNSW4,Flat", faiss.METRIC_L2),
    "ivf-products": ("IVF3,Flat", faiss.METRIC_INNER_PRODUCT), "products-sq6": ("SQ6", faiss.METRIC_INNER_PRODUCT),
    "mapped": ("IDMap,Flat", faiss.METRIC_L2),
}


def made(kind, metric):
    index = faiss.index_factory(6, kind, metric)
    index.train(rows(40, 6))
    if kind.startswith("IDMap"):
        index.add_with_ids(rows(40, 6), numpy.arange(40) + 7)
    else:
        index.add(rows(40, 6))
    return index


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    flat = faiss.IndexFlatL2(6)
    flat.add(rows(40, 6))
    products = faiss.IndexFlatIP(6)
    products.add(rows(40, 6))
    empty = faiss.index_factory(256, "IVF1,Flat")
    empty.train(rows(40, 256))
    # One vector in one of five cells: FAISS lists those that are not empty.
    sparse = divided(200, 6, 5)
    sparse.reset()
    sparse.add(rows(1, 6))
    indexes = {
        "ivf": divided(40, 6, 3), "ivf-256": divided(20, 256, 2), "flat": flat, "products": products,
        "empty": empty, "sparse": sparse, "hnsw": faiss.index_factory(6, "HNSW8"),
    }
    indexes |= {name: made(*how) for name, how in OTHERS.items()}
    cells, rebuilt = {}, {}
    for name, index in indexes.items():
        faiss.write_index(index, str(FOLDER / f"{name}.index"))
        if hasattr(index, "invlists"):
            lists = index.invlists
            cells[name] = [
                faiss.rev_swig_ptr(lists.get_ids(cell), lists.list_size(cell)).tolist()
                if lists.list_size(cell) else []
                for cell in range(index.nlist)
            ]
    for name in OTHERS:
        index = indexes[name]
        if hasattr(index, "invlists"):
            index.make_direct_map()
        if isinstance(index, faiss.IndexIDMap):
            index = index.index
        rebuilt[name] = [float(f"{value:.7g}") for value in index.reconstruct_n(0, 40).flatten().tolist()]
    golden = json.dumps({"faiss": faiss.__version__, "cells": cells, "rebuilt": rebuilt}, separators=(",", ":"))
    (FOLDER / "golden.json").write_text(golden + "\n")


if __name__ == "__main__":
    main()
