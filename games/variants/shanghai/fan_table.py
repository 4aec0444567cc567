"""The kinds of win of 上海麻将 (SH-12): a row a kind, with what it is worth."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kind:
    """A row of the table.

    Attributes:
        kind_id: stable id.
        number: the row's number in SH-12.
        name_zh: name on the score sheet.
        name_en: name in English.
        lezi: caps it is worth; 0 where the base sum or another rule says it.
        rule: the rule that says so.
    """

    kind_id: str
    number: int
    name_zh: str
    name_en: str
    lezi: int
    rule: str = "SH-12"


KINDS = (
    Kind("heavenly_win", 1, "天和", "Heavenly win", 4),
    Kind("earthly_win", 2, "地和", "Earthly win", 2),
    Kind("eight_flowers", 3, "八花", "Eight flowers", 1, "SH-11"),
    Kind("honours_all_pungs", 4, "字一色", "All honours, all pungs", 4),
    Kind("all_honours", 5, "乱风向", "All honours without a shape", 2),
    Kind("full_flush_pungs", 6, "清碰", "Full flush, all pungs", 2),
    Kind("full_flush", 7, "清一色", "Full flush", 1),
    Kind("half_flush_pungs", 8, "混碰", "Half flush, all pungs", 1),
    Kind("win_on_replacement", 9, "杠开", "Win on a replacement", 0, "SH-13"),
    Kind("single_wait_melded", 10, "大吊车", "All melded, single wait", 0, "SH-13"),
    Kind("half_flush", 11, "混一色", "Half flush", 0, "SH-30"),
    Kind("all_pungs", 12, "碰碰胡", "All pungs", 0, "SH-30"),
)
KIND_BY_ID = {kind.kind_id: kind for kind in KINDS}
KIND_BY_NUMBER = {kind.number: kind for kind in KINDS}
assert len(KIND_BY_ID) == len(KIND_BY_NUMBER) == len(KINDS)
