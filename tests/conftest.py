"""Every process that runs tests has address slots of its own: tests do not wait for each other."""

from __future__ import annotations

import atexit
import os
import tempfile

_FOLDER = tempfile.TemporaryDirectory(prefix="lycosa-tests-")
os.environ["LYCOSA_RUNTIME_DIR"] = _FOLDER.name
atexit.register(_FOLDER.cleanup)
