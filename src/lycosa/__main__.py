"""`python -m lycosa` is `lycosa`."""

from lycosa.cli.start import program

if __name__ == "__main__":
    program()
