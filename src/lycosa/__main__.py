"""`python -m lycosa` is `lycosa`."""

from lycosa.cli.starting import program

if __name__ == "__main__":
    program()
