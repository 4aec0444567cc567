"""What is wrong with a deal's record, whatever the family."""


class RecordError(ValueError):
    """A record is not what the rules say.

    Attributes:
        index: place of the first event that differs; the record's length where it ends too soon.
        detail: what is wrong, in words.
        rule: number of the rule that refuses what the record claims; empty where none does.
    """

    def __init__(self, index: int, detail: str, rule: str = "") -> None:
        super().__init__(f"event {index}: {detail}")
        self.index = index
        self.detail = detail
        self.rule = rule
