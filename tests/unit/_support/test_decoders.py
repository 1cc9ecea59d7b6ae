"""Threads may decode into a class that nobody has decoded into before."""

from __future__ import annotations

import subprocess
import sys
from textwrap import dedent

import pytest

FROM_THREADS = dedent("""
    import sys, threading, types
    import msgspec
    from lycosa._support.decoders import converted, json_decoder, msgpack_decoder

    CLASSES = '''
    from __future__ import annotations
    import msgspec

    class Lamp(msgspec.Struct, tag="lamp"):
        colours: dict[str, int] = {}

    class Shelf(msgspec.Struct, tag="shelf"):
        first: Lamp
        others: list[Lamp] = []

    class Shop(msgspec.Struct):
        thing: Lamp | Shelf
    '''
    SHOP = {"thing": {"type": "shelf", "first": {"type": "lamp"}, "others": []}}
    DECODE = {
        "json": lambda kind: json_decoder(kind).decode(msgspec.json.encode(SHOP)),
        "msgpack": lambda kind: msgpack_decoder(kind).decode(msgspec.msgpack.encode(SHOP)),
        "objects": lambda kind: converted(SHOP, kind),
    }
    sys.setswitchinterval(1e-6)
    done = 0

    def look(kind, begin):
        global done
        begin.wait()
        assert DECODE[sys.argv[1]](kind).thing.others == []
        done += 1

    for number in range(200):
        module = sys.modules[f"m{number}"] = types.ModuleType(f"m{number}")
        exec(CLASSES, module.__dict__)
        begin = threading.Barrier(4)
        threads = [threading.Thread(target=look, args=(module.Shop, begin)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    print(done)
""")


@pytest.mark.parametrize("form", ["json", "msgpack", "objects"])
def test_threads_decode_into_a_new_class_at_once(form: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FROM_THREADS, form], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "800\n"
