"""What the author has to put right."""


class Mistake(Exception):
    """One sentence: where it is, what it is, and what to do."""
