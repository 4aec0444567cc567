"""The fan table of 大众麻将 (DZ#1..81): a row a fan, the dearest first."""

from dataclasses import dataclass
from typing import Final

FAN_COUNT: Final = 81


@dataclass(frozen=True, slots=True)
class Fan:
    """A row of the table.

    Attributes:
        number: place in the table, 1..81.
        fan_id: stable id; the detector has the same.
        name_zh: name on the score sheet.
        name_en: name in English.
        value: fan one occurrence adds.
        excludes: ids, in one text, of the rows that the table says are not paid beside this one.
        contains: ids of the rows that this one's shape always shows, or stands in place of, and that are
            not paid again (DZ-31, DZ-37).
    """

    number: int
    fan_id: str
    name_zh: str
    name_en: str
    value: int
    excludes: str = ""
    contains: str = ""

    @property
    def rule(self) -> str:
        """The rule that says so."""
        return f"DZ#{self.number}"

    @property
    def unpaid(self) -> tuple[str, ...]:
        """Ids of all rows that are not paid beside this one."""
        return (*self.excludes.split(), *self.contains.split())


FANS: Final = (
    Fan(
        1,
        "big_four_winds",
        "大四喜",
        "Big four winds",
        88,
        excludes="prevalent_wind seat_wind big_three_winds all_pungs",
        contains="pung_of_terminals_or_honours",
    ),
    Fan(2, "big_three_dragons", "大三元", "Big three dragons", 88, excludes="dragon_pung", contains="two_dragon_pungs"),
    Fan(3, "all_green", "绿一色", "All green", 88, excludes="half_flush"),
    Fan(
        4,
        "nine_gates",
        "九莲宝灯",
        "Nine gates",
        88,
        excludes="full_flush",
        contains="fully_concealed_hand concealed_hand no_honours",
    ),
    Fan(
        5,
        "four_kongs",
        "四杠",
        "Four kongs",
        88,
        contains="three_kongs two_concealed_kongs two_melded_kongs concealed_kong melded_kong all_pungs single_wait",
    ),
    Fan(
        6,
        "seven_shifted_pairs",
        "连七对",
        "Seven shifted pairs",
        88,
        excludes="full_flush fully_concealed_hand single_wait",
        contains="seven_pairs concealed_hand no_honours",
    ),
    Fan(
        7,
        "thirteen_orphans",
        "十三幺",
        "Thirteen orphans",
        88,
        excludes="all_types fully_concealed_hand single_wait",
        contains="all_terminals_and_honours concealed_hand",
    ),
    Fan(
        8,
        "all_terminals",
        "清幺九",
        "All terminals",
        64,
        excludes="all_pungs double_pung no_honours",
        contains="all_terminals_and_honours outside_hand pung_of_terminals_or_honours",
    ),
    Fan(9, "little_four_winds", "小四喜", "Little four winds", 64, excludes="big_three_winds"),
    Fan(
        10,
        "little_three_dragons",
        "小三元",
        "Little three dragons",
        64,
        excludes="dragon_pung",
        contains="two_dragon_pungs",
    ),
    Fan(
        11,
        "all_honours",
        "字一色",
        "All honours",
        64,
        excludes="all_pungs",
        contains="all_terminals_and_honours outside_hand pung_of_terminals_or_honours",
    ),
    Fan(
        12,
        "four_concealed_pungs",
        "四暗刻",
        "Four concealed pungs",
        64,
        excludes="concealed_hand all_pungs",
        contains="three_concealed_pungs two_concealed_pungs fully_concealed_hand",
    ),
    Fan(
        13,
        "pure_terminal_chows",
        "一色双龙会",
        "Pure terminal chows",
        64,
        excludes="all_chows seven_pairs full_flush",
        contains="pure_double_chow two_terminal_chows no_honours",
    ),
    Fan(
        14,
        "quadruple_chow",
        "一色四同顺",
        "Quadruple chow",
        48,
        excludes="pure_shifted_pungs pure_double_chow tile_hog",
        contains="pure_triple_chow",
    ),
    Fan(
        15,
        "four_pure_shifted_pungs",
        "一色四节高",
        "Four pure shifted pungs",
        48,
        excludes="pure_triple_chow all_pungs",
        contains="pure_shifted_pungs",
    ),
    Fan(
        16,
        "four_pure_shifted_chows",
        "一色四步高",
        "Four pure shifted chows",
        32,
        contains="pure_shifted_chows short_straight two_terminal_chows",
    ),
    Fan(
        17,
        "three_kongs",
        "三杠",
        "Three kongs",
        32,
        contains="two_concealed_kongs two_melded_kongs concealed_kong melded_kong",
    ),
    Fan(
        18,
        "all_terminals_and_honours",
        "混幺九",
        "All terminals and honours",
        32,
        excludes="all_pungs",
        contains="outside_hand pung_of_terminals_or_honours",
    ),
    Fan(
        19,
        "seven_pairs",
        "七对",
        "Seven pairs",
        24,
        excludes="fully_concealed_hand single_wait",
        contains="concealed_hand",
    ),
    Fan(
        20,
        "greater_honours_and_knitted",
        "七星不靠",
        "Greater honours and knitted",
        24,
        excludes="all_types fully_concealed_hand single_wait",
        contains="lesser_honours_and_knitted concealed_hand",
    ),
    Fan(21, "all_even_pungs", "全双刻", "All even pungs", 24, excludes="all_pungs all_simples", contains="no_honours"),
    Fan(22, "full_flush", "清一色", "Full flush", 24, excludes="no_honours"),
    Fan(23, "pure_triple_chow", "一色三同顺", "Pure triple chow", 24, excludes="pure_shifted_pungs"),
    Fan(24, "pure_shifted_pungs", "一色三节高", "Pure shifted pungs", 24, excludes="pure_triple_chow"),
    Fan(25, "upper_tiles", "全大", "Upper tiles", 24, excludes="no_honours", contains="upper_four"),
    Fan(26, "middle_tiles", "全中", "Middle tiles", 24, excludes="all_simples", contains="no_honours"),
    Fan(27, "lower_tiles", "全小", "Lower tiles", 24, excludes="no_honours", contains="lower_four"),
    Fan(28, "pure_straight", "清龙", "Pure straight", 16),
    Fan(
        29,
        "three_suited_terminal_chows",
        "三色双龙会",
        "Three-suited terminal chows",
        16,
        excludes="mixed_double_chow two_terminal_chows no_honours all_chows",
    ),
    Fan(30, "pure_shifted_chows", "一色三步高", "Pure shifted chows", 16),
    Fan(31, "all_fives", "全带五", "All fives", 16, excludes="all_simples", contains="no_honours"),
    Fan(32, "triple_pung", "三同刻", "Triple pung", 16, contains="double_pung"),
    Fan(33, "three_concealed_pungs", "三暗刻", "Three concealed pungs", 16, contains="two_concealed_pungs"),
    Fan(
        34,
        "lesser_honours_and_knitted",
        "全不靠",
        "Lesser honours and knitted",
        12,
        excludes="all_types fully_concealed_hand single_wait",
        contains="concealed_hand",
    ),
    Fan(35, "knitted_straight", "组合龙", "Knitted straight", 12),
    Fan(36, "upper_four", "大于五", "Upper four", 12, excludes="no_honours"),
    Fan(37, "lower_four", "小于五", "Lower four", 12, excludes="no_honours"),
    Fan(38, "big_three_winds", "三风刻", "Big three winds", 12),
    Fan(39, "mixed_straight", "花龙", "Mixed straight", 8),
    Fan(40, "reversible_tiles", "推不倒", "Reversible tiles", 8, excludes="one_voided_suit"),
    Fan(41, "mixed_triple_chow", "三色三同顺", "Mixed triple chow", 8),
    Fan(42, "mixed_shifted_pungs", "三色三节高", "Mixed shifted pungs", 8),
    Fan(43, "chicken_hand", "无番和", "Chicken hand", 8),
    Fan(44, "last_tile_draw", "妙手回春", "Last tile draw", 8, excludes="self_draw"),
    Fan(45, "last_tile_claim", "海底捞月", "Last tile claim", 8),
    Fan(46, "out_with_replacement_tile", "杠上开花", "Out with replacement tile", 8, excludes="self_draw"),
    Fan(47, "robbing_the_kong", "抢杠和", "Robbing the kong", 8, excludes="last_of_kind"),
    Fan(48, "all_pungs", "碰碰和", "All pungs", 6),
    Fan(49, "half_flush", "混一色", "Half flush", 6),
    Fan(50, "mixed_shifted_chows", "三色三步高", "Mixed shifted chows", 6),
    Fan(51, "all_types", "五门齐", "All types", 6),
    Fan(52, "melded_hand", "全求人", "Melded hand", 6, excludes="single_wait"),
    Fan(53, "two_concealed_kongs", "双暗杠", "Two concealed kongs", 6, contains="two_concealed_pungs concealed_kong"),
    Fan(54, "two_dragon_pungs", "双箭刻", "Two dragon pungs", 6, contains="dragon_pung"),
    Fan(55, "outside_hand", "全带幺", "Outside hand", 4),
    Fan(56, "fully_concealed_hand", "不求人", "Fully concealed hand", 4, contains="self_draw"),
    Fan(57, "two_melded_kongs", "双明杠", "Two melded kongs", 4, contains="melded_kong"),
    Fan(58, "last_of_kind", "和绝张", "Last tile", 4),
    Fan(59, "dragon_pung", "箭刻", "Dragon pung", 2),
    Fan(60, "prevalent_wind", "圈风刻", "Prevalent wind", 2),
    Fan(61, "seat_wind", "门风刻", "Seat wind", 2),
    Fan(62, "concealed_hand", "门前清", "Concealed hand", 2),
    Fan(63, "all_chows", "平和", "All chows", 2, contains="no_honours"),
    Fan(64, "tile_hog", "四归一", "Tile hog", 2),
    Fan(65, "double_pung", "双同刻", "Double pung", 2),
    Fan(66, "two_concealed_pungs", "双暗刻", "Two concealed pungs", 2),
    Fan(67, "concealed_kong", "暗杠", "Concealed kong", 2),
    Fan(68, "all_simples", "断幺", "All simples", 2, contains="no_honours"),
    Fan(69, "pure_double_chow", "一般高", "Pure double chow", 1),
    Fan(70, "mixed_double_chow", "喜相逢", "Mixed double chow", 1),
    Fan(71, "short_straight", "连六", "Short straight", 1),
    Fan(72, "two_terminal_chows", "老少副", "Two terminal chows", 1),
    Fan(73, "pung_of_terminals_or_honours", "幺九刻", "Pung of terminals or honours", 1),
    Fan(74, "melded_kong", "明杠", "Melded kong", 1),
    Fan(75, "one_voided_suit", "缺一门", "One voided suit", 1),
    Fan(76, "no_honours", "无字", "No honours", 1),
    Fan(77, "edge_wait", "边张", "Edge wait", 1),
    Fan(78, "closed_wait", "坎张", "Closed wait", 1),
    Fan(79, "single_wait", "单钓将", "Single wait", 1),
    Fan(80, "self_draw", "自摸", "Self-draw", 1),
    Fan(81, "flower", "花牌", "Flower", 1),
)
FAN_BY_ID: Final = {fan.fan_id: fan for fan in FANS}
assert [fan.number for fan in FANS] == list(range(1, FAN_COUNT + 1))
assert len(FAN_BY_ID) == FAN_COUNT
assert all(other in FAN_BY_ID for fan in FANS for other in fan.unpaid)


def bit(fan_id: str) -> int:
    """The row as one bit of a set of fans."""
    return 1 << FAN_BY_ID[fan_id].number


def bits(fan_ids: str) -> int:
    """The rows named in a text as a set of fans."""
    return sum(bit(fan_id) for fan_id in fan_ids.split())


UNPAID_BESIDE: Final = (0, *(bits(" ".join(fan.unpaid)) for fan in FANS))
"""For each number the set of fans that are not paid beside that row."""
VALUE: Final = (0, *(fan.value for fan in FANS))
"""For each number what one occurrence adds."""
