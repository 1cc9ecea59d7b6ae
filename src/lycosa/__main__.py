"""`python -m lycosa` is `lycosa`."""

from lycosa.cli.main import program

if __name__ == "__main__":
    program()
