"""One row for each reason: what the caller gets, in which words, and whether to try again."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from refusals.reason import Reason


@dataclass(frozen=True, slots=True)
class Entry:
    """What belongs to a reason.

    ``code`` is the canonical gRPC code's name; ``retry`` says whether the same call, unchanged, may succeed later;
    ``zh`` and ``en`` are what a player reads; ``when`` is for developers.
    """

    code: str
    retry: bool
    zh: str
    en: str
    when: str


_FAILED = "FAILED_PRECONDITION"
_INVALID = "INVALID_ARGUMENT"
_MISSING = "NOT_FOUND"
_EXISTS = "ALREADY_EXISTS"
_RANGE = "OUT_OF_RANGE"
_AWAY = "UNAVAILABLE"
_LOST = "DATA_LOSS"
_FULL = "RESOURCE_EXHAUSTED"
_UNKNOWN_CALLER = "UNAUTHENTICATED"
_FORBIDDEN = "PERMISSION_DENIED"

_PLATFORM = {
    Reason.INVALID_FIELD: Entry(
        _INVALID,
        False,
        "请求有误",
        "The request is not valid.",
        "A field is missing, malformed or out of range; BadRequest names it.",
    ),
    Reason.TOKEN_MISSING: Entry(
        _UNKNOWN_CALLER, False, "请先登录", "Please log in.", "The metadata carries no bearer token."
    ),
    Reason.TOKEN_INVALID: Entry(
        _UNKNOWN_CALLER,
        False,
        "登录凭证无效",
        "The credentials are not valid.",
        "The token is malformed, forged, signed by an unknown key or by a key for other roles.",
    ),
    Reason.TOKEN_EXPIRED: Entry(
        _UNKNOWN_CALLER, False, "登录已过期", "The login has expired.", "The token's time is over; get a new one."
    ),
    Reason.ROLE_NOT_ALLOWED: Entry(
        _FORBIDDEN, False, "没有权限", "This is not permitted.", "The token's role may not call this method."
    ),
    Reason.TOKEN_MISMATCH: Entry(
        _FORBIDDEN,
        False,
        "凭证与座位不符",
        "The credentials are for somewhere else.",
        "The token is for another table, seat or player.",
    ),
    Reason.REQUEST_ID_REUSED: Entry(
        _EXISTS,
        False,
        "请求编号重复",
        "The request number was used before.",
        "The same request_id came before with other content; a new request needs a new one.",
    ),
    Reason.DEADLINE_INVALID: Entry(
        _INVALID,
        False,
        "请求时限有误",
        "The time limit of the request is not valid.",
        "The call's deadline is zero, past or more than a day away.",
    ),
    Reason.STORE_UNAVAILABLE: Entry(
        _AWAY,
        True,
        "服务暂不可用，请稍候",
        "The service is away; please wait a moment.",
        "The store behind the service does not answer. Whether the call took effect is not known: repeat it as it was.",
    ),
    Reason.DEPENDENCY_UNAVAILABLE: Entry(
        _AWAY,
        True,
        "服务暂不可用，请稍候",
        "The service is away; please wait a moment.",
        "A service that this one needs does not answer. Repeat the call as it was.",
    ),
    Reason.SHUTTING_DOWN: Entry(
        _AWAY,
        True,
        "服务正在维护，请重连",
        "The server is going down; please reconnect.",
        "The process drains. The same call may be sent to another one.",
    ),
    Reason.OVERLOADED: Entry(
        _FULL,
        True,
        "人太多了，请稍候",
        "Too many requests; please wait a moment.",
        "A bounded queue or the store is full; nothing was done.",
    ),
    Reason.INTERNAL: Entry(
        "INTERNAL",
        False,
        "服务出错",
        "Something went wrong.",
        "A fault of the service itself. Nothing of it is told; the log has it under the correlation id.",
    ),
    Reason.METHOD_UNKNOWN: Entry(
        "UNIMPLEMENTED",
        False,
        "不支持此操作",
        "This is not supported.",
        "The server has no such method, or nobody is allowed to call it.",
    ),
    Reason.TOKEN_SUPERSEDED: Entry(
        _UNKNOWN_CALLER,
        False,
        "您已在其他设备上登录",
        "Your seat is used on another device.",
        "A newer token of the seat is in use; GetMySeat gives the newest.",
    ),
}

_SEATS = {
    Reason.ROOM_UNKNOWN: Entry(_MISSING, False, "房间不存在", "There is no such room.", "No room has this id."),
    Reason.ALREADY_QUEUED: Entry(
        _EXISTS, False, "您已在排队", "You are queueing already.", "The player has a ticket; one at a time (PF-11)."
    ),
    Reason.TICKET_UNKNOWN: Entry(
        _MISSING, False, "没有此排队号", "There is no such ticket.", "The caller has no ticket with this id."
    ),
    Reason.BALANCE_BELOW_MINIMUM: Entry(
        _FAILED,
        False,
        "余额不足",
        "Your balance is too low for this room.",
        "The player's balance is below what the room asks for.",
    ),
    Reason.NO_SEAT: Entry(_MISSING, False, "您不在任何牌桌", "You sit at no table.", "The player sits at no table."),
    Reason.TICKET_MATCHED: Entry(
        _FAILED,
        False,
        "已配桌，不能取消",
        "Your seat is drawn already.",
        "The ticket has its seat and cannot be cancelled.",
    ),
    Reason.ALREADY_SEATED: Entry(
        _FAILED, False, "您已在牌桌上", "You sit at a table already.", "The player has a seat; one at a time (PF-11)."
    ),
    Reason.ROOM_CLOSED: Entry(_FAILED, False, "房间已关闭", "This room is closed.", "The room takes no new players."),
    Reason.SPECTATORS_NOT_ALLOWED: Entry(
        _FORBIDDEN, False, "本房间不允许旁观", "Nobody may watch here.", "The room does not allow spectators."
    ),
}

_TABLES = {
    Reason.TABLE_UNKNOWN: Entry(
        _MISSING, False, "牌桌不存在", "There is no such table.", "No pod has a table with this id."
    ),
    Reason.NOT_OWNER: Entry(
        _FAILED,
        False,
        "牌桌已迁移",
        "The table has moved.",
        "Another pod owns the table; metadata authority, pod and epoch say which. Call there.",
    ),
    Reason.DECISION_STALE: Entry(
        _FAILED, False, "太晚了", "Too late.", "The decision was made, or its question is closed."
    ),
    Reason.ALREADY_ANSWERED: Entry(
        _FAILED,
        False,
        "您已作出选择",
        "You have answered.",
        "The seat has answered this question; it cannot change its mind.",
    ),
    Reason.SEQ_AHEAD: Entry(
        _RANGE, False, "进度有误，请重连", "Out of step; please reconnect.", "after_seq is ahead of the log."
    ),
    Reason.NO_SLOT: Entry(
        _FULL,
        True,
        "暂无空桌",
        "No table is free right now.",
        "The pod has no free slot; another one or a later moment may.",
    ),
    Reason.TABLE_CONFLICT: Entry(
        _EXISTS, False, "牌桌已存在", "The table exists.", "A table with this id was made with other content."
    ),
    Reason.TABLE_QUARANTINED: Entry(
        _FAILED,
        False,
        "牌桌已停用，筹码已退还",
        "This table is stopped; stakes are given back.",
        "A fault stopped this table alone; its log is kept.",
    ),
    Reason.WRONG_TABLE_STATE: Entry(
        _FAILED, False, "现在不能这样做", "Not now.", "The action does not fit the table's state (PF-12)."
    ),
    Reason.TABLE_CLOSED: Entry(
        _FAILED, False, "牌桌已解散", "The table is over.", "The table is over and takes no more actions."
    ),
    Reason.WRONG_GAME: Entry(
        _INVALID,
        False,
        "操作与游戏不符",
        "This is another game.",
        "The action is of another game than the table plays.",
    ),
    Reason.NO_DECISION: Entry(
        _FAILED, False, "没有需要您决定的事", "There is nothing to decide.", "No decision is open for the seat."
    ),
    Reason.DEAL_RUNNING: Entry(
        _FAILED,
        False,
        "本局尚未结束",
        "The deal is not over yet.",
        "A replay is given when the deal is settled; to spectators, when their delay has passed as well.",
    ),
    Reason.DEAL_UNKNOWN: Entry(
        _MISSING, False, "没有这一局", "There is no such deal.", "The table has had no deal of this number."
    ),
    Reason.TOO_EARLY: Entry(
        _AWAY,
        True,
        "旁观尚未开始",
        "There is nothing to watch yet.",
        "A spectator comes before anything at the table is as old as the room's delay.",
    ),
}

_PLAY = {
    Reason.NOT_YOUR_TURN: Entry(_FAILED, False, "还没轮到您", "It is not your turn.", "It is another seat's turn."),
    Reason.TILE_NOT_HELD: Entry(
        _INVALID, False, "您没有这张牌", "You do not hold this tile.", "The seat's concealed hand lacks the tile."
    ),
    Reason.TILE_UNKNOWN: Entry(
        _INVALID, False, "没有这种牌", "There is no such tile.", "The game's tile set lacks the tile."
    ),
    Reason.NOT_A_WIN: Entry(
        _FAILED, False, "不能胡", "This does not win.", "The hand does not win on this tile under the table's rules."
    ),
    Reason.NOT_ASKED: Entry(
        _FAILED,
        False,
        "不能要这张牌",
        "This tile is not offered to you.",
        "The seat was not asked about this tile, or not for this kind of claim.",
    ),
    Reason.MELD_NOT_POSSIBLE: Entry(
        _FAILED, False, "牌不够", "You lack the tiles.", "The seat lacks the tiles for this pung, kong or chow."
    ),
    Reason.WALL_EMPTY: Entry(
        _FAILED, False, "没有牌了，不能杠", "The wall is empty.", "A kong needs a tile to replace it (BB-6)."
    ),
    Reason.NO_DRAW: Entry(
        _FAILED,
        False,
        "摸牌后才可以",
        "Only after a draw.",
        "A kong, or a win on one's own tile, needs a draw before it (BB-10).",
    ),
    Reason.NOT_READY: Entry(
        _FAILED, False, "没有听牌", "The hand is not ready.", "Only a ready hand can be locked (BB-17)."
    ),
    Reason.HAND_LOCKED: Entry(
        _FAILED, False, "已报听，不能换牌", "The hand is locked.", "A locked hand keeps its waits (BB-17)."
    ),
    Reason.HAS_WON: Entry(
        _FAILED, False, "您已胡牌", "You have won already.", "Who has won plays no more in this deal (BB-11)."
    ),
    Reason.SEAT_AWAY: Entry(
        _FAILED,
        False,
        "您已离线，由系统代打",
        "The server plays for you.",
        "The seat is away until the player returns (BB-60).",
    ),
    Reason.DEAL_OVER: Entry(_FAILED, False, "本局已结束", "The deal is over.", "The deal is over."),
    Reason.NOT_DEALT: Entry(_FAILED, False, "尚未发牌", "The tiles are not dealt yet.", "The tiles are not dealt yet."),
    Reason.PASSED_WIN: Entry(
        _FAILED,
        False,
        "过胡，摸牌后才能胡",
        "You passed a win; draw first.",
        "Who passed a win may not win on a discard until the next draw (BB-19).",
    ),
    Reason.HOLDS_DISCARD: Entry(
        _FAILED, False, "请先出牌", "Discard first.", "The seat holds a tile it must discard (BB-17)."
    ),
    Reason.QUESTION_OPEN: Entry(
        _FAILED, False, "请等待其他玩家", "Others are still deciding.", "A question is open; the turn waits for it."
    ),
    Reason.NO_QUESTION: Entry(_FAILED, False, "没有可要的牌", "There is nothing to claim.", "No question is open."),
    Reason.NOT_IN_THIS_GAME: Entry(
        _INVALID, False, "本游戏没有此操作", "This game has no such action.", "The variant has no such action."
    ),
    Reason.CARD_UNKNOWN: Entry(
        _INVALID,
        False,
        "没有这张牌",
        "There is no such card.",
        "A card id that the game does not have, or the same card twice.",
    ),
    Reason.CARD_NOT_HELD: Entry(
        _INVALID, False, "您没有这张牌", "You do not hold this card.", "A card of the play is not in the hand."
    ),
    Reason.NOT_A_PLAY: Entry(
        _INVALID,
        False,
        "牌型不对",
        "These cards are no combination.",
        "The cards are no combination, or not of the kind that was named (TY-21).",
    ),
    Reason.PLAY_AMBIGUOUS: Entry(
        _INVALID,
        False,
        "请选择牌型",
        "Say how these cards are meant.",
        "With the wild card they can be several kinds; the detail lists them, the play must name one (TY-24).",
    ),
    Reason.PLAY_TOO_LOW: Entry(
        _FAILED,
        False,
        "压不过上家的牌",
        "This does not beat the last play.",
        "Another kind or length, or not higher; a bomb read as the last play's kind must be named (TY-22, TY-24).",
    ),
    Reason.LEADER_MUST_PLAY: Entry(
        _FAILED, False, "轮到您先出牌", "You lead: play something.", "A pass from the one who leads (TY-20)."
    ),
    Reason.MUST_CALL: Entry(
        _FAILED, False, "这手牌必须抓", "You must call with this hand.", "A pass with both jokers or four 2s (TY-11)."
    ),
    Reason.BLIND_NOT_OFFERED: Entry(
        _FAILED,
        False,
        "现在不能闷",
        "You cannot call blind now.",
        "A blind call of one who is not the last to speak (TY-12).",
    ),
    Reason.WRONG_STAGE: Entry(
        _FAILED,
        False,
        "现在不能这样做",
        "Not at this stage of the deal.",
        "A word of the bidding, of the doubling or a play while the deal is at another stage.",
    ),
}

_SCORING = {
    Reason.RULESET_UNKNOWN: Entry(
        _MISSING,
        False,
        "规则不存在",
        "There is no such ruleset.",
        "No variant, or no supported version of it, has this name.",
    ),
    Reason.HAND_IMPOSSIBLE: Entry(
        _INVALID,
        False,
        "牌型不可能",
        "This hand cannot be.",
        "Five of a tile, a wrong count or situations that contradict each other.",
    ),
    Reason.OPTION_INVALID: Entry(
        _INVALID, False, "规则选项有误", "An option is not valid.", "The option is unknown, or its value is absurd."
    ),
    Reason.RECORD_INVALID: Entry(
        _INVALID,
        False,
        "牌局记录有误",
        "The record is not valid.",
        "The record of the deal breaks a rule; metadata names the event.",
    ),
    Reason.QUOTA_EXCEEDED: Entry(
        _FULL,
        True,
        "请求过于频繁，请稍候",
        "The quota is used up; please wait a moment.",
        "The caller asked for more hands than its key allows; nothing was scored. RetryInfo says when it fits.",
    ),
}

_LEDGER = {
    Reason.ACCOUNT_UNKNOWN: Entry(
        _MISSING, False, "账户不存在", "There is no such account.", "The account was never opened."
    ),
    Reason.SETTLEMENT_CONFLICT: Entry(
        _EXISTS,
        False,
        "结算编号重复",
        "This settlement exists.",
        "The settlement's id came before with other content (PF-53).",
    ),
    Reason.FENCED: Entry(
        "ABORTED",
        False,
        "牌桌已由他处接管",
        "Another server has taken over.",
        "A newer owner of the table has claimed it; stop writing for this table.",
    ),
    Reason.SETTLEMENT_GAP: Entry(
        _FAILED,
        False,
        "结算不连续",
        "A settlement is missing.",
        "An earlier settlement of this table has not arrived; send it first.",
    ),
    Reason.SETTLEMENT_OLD: Entry(
        _RANGE,
        False,
        "结算太旧",
        "This settlement is too old.",
        "The settlement is done, but too old to be answered from memory.",
    ),
    Reason.AMOUNT_LIMIT: Entry(
        _RANGE,
        False,
        "金额超限",
        "The amount is out of range.",
        "The amount, or with it a balance or the supply, is out of range.",
    ),
    Reason.LOCKED_ELSEWHERE: Entry(
        _FAILED,
        False,
        "余额被另一牌桌占用",
        "The balance is in use at another table.",
        "Another table has locked the account (PF-55).",
    ),
    Reason.ACCOUNT_FROZEN: Entry(
        _FAILED, False, "账户已冻结", "The account is frozen.", "A frozen account may receive, not pay."
    ),
    Reason.STAKE_MISSING: Entry(
        _FAILED,
        False,
        "筹码未锁定",
        "The stake is not reserved.",
        "The table has not reserved the stake it settles from.",
    ),
    Reason.STORE_NOT_DURABLE: Entry(
        _AWAY,
        True,
        "账本暂停服务",
        "The books are closed for the moment.",
        "The ledger's store would lose acknowledged money in a power cut; an operator must act. Nothing was done.",
    ),
    Reason.BUDGET_EXHAUSTED: Entry(
        _FAILED,
        False,
        "资金池余额不足",
        "The fund is exhausted.",
        "The fund that was to pay has not enough left; an operator may grant it more. Nothing was done.",
    ),
    Reason.BOOKS_STOPPED: Entry(
        _AWAY,
        True,
        "账本暂停服务",
        "The books are closed for the moment.",
        "The journal lost entries or is another one; nothing is written until an operator decides. Nothing was done.",
    ),
    Reason.BOOKS_WRONG: Entry(
        _FAILED,
        False,
        "账目不符，暂停发放",
        "The books do not add up; nothing is granted now.",
        "The last check found the books wrong; grants are refused until a later check finds them right.",
    ),
    Reason.ENTRY_UNKNOWN: Entry(
        _MISSING,
        False,
        "没有此账目",
        "There is no such entry.",
        "The journal has no entry of this number, or it moved no money.",
    ),
    Reason.ENTRY_REVERSED: Entry(
        _EXISTS,
        False,
        "此账目已冲正",
        "This entry was reversed before.",
        "An entry is reversed once; metadata names the reversal.",
    ),
    Reason.JOURNAL_DAMAGED: Entry(
        _LOST,
        False,
        "账目缺失，请联系客服",
        "Part of the books cannot be read.",
        "A journal entry that the answer needs is missing in store and archive, or cannot be read; metadata "
        "journal_number says which, where that is known. An operator must mend it first.",
    ),
}

CATALOGUE: Mapping[Reason, Entry] = MappingProxyType(_PLATFORM | _SEATS | _TABLES | _PLAY | _SCORING | _LEDGER)
"""Every reason's row, in the order of the wire's enum."""
