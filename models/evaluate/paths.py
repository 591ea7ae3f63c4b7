"""Lets the tools of this folder use the modules in models/training."""

import sys
from pathlib import Path

MODELS = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(MODELS / "training"))
