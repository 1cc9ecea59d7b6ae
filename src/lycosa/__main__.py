"""Runs the `lycosa` command for `python -m lycosa`."""

from lycosa.cli.start import program

if __name__ == "__main__":
    program()
