ELEMENT_BYTES: int
COPIES: int
LOOKED_AHEAD: int

def growth(body: bytes, step: int, most: int) -> tuple[int, list[int]]: ...
