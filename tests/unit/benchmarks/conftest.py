"""The benchmarks are no part of the package, so they are found by the folder that they are in."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
