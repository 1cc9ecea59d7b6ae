from lycosa.extract.rdfa.hosts import Host

def walk(
    markup: bytes, host: Host, document: str, base: str, label: str, room: int
) -> tuple[bytes, bool]: ...
