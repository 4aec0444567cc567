"""A seat's view as a message, both ways."""

from cardroom.landlord.v1 import view_pb2

from games.landlord.state import Speech, State, TablePlay
from wire.landlord.events import ended_from_proto, ended_to_proto, opening_to_proto, ruleset_from_opened
from wire.landlord.words import (
    PHASES,
    WORDS,
    face_down,
    hand_from_proto,
    hand_to_proto,
    hands_from_proto,
    hands_to_proto,
    reading_from_proto,
    reading_to_proto,
)
from wire.words import named


def view_to_proto(view: State) -> view_pb2.View:
    """What a seat knows of a deal that has been opened, as a message.

    Args:
        view: a state turned face down; cards that lie open in it are sent.
    """
    return view_pb2.View(
        opened=opening_to_proto(view.ruleset, view.dealer, view.ruleset.card_count),
        phase=PHASES[view.phase],
        pack_left=len(view.wall),
        hands=hands_to_proto(view.hands),
        bottom=hand_to_proto(view.bottom),
        turn_seat=view.turn,
        landlord_seat=view.landlord,
        blind=view.blind,
        speeches=[view_pb2.Speech(seat=speech.seat, word=WORDS[speech.word]) for speech in view.speeches],
        plays=map(_play_to_proto, view.plays),
        multiplier=view.multiplier,
        ended=None if view.result is None else ended_to_proto(view.result),
    )


def view_from_proto(message: view_pb2.View) -> State:
    """The view a message stands for.

    Raises:
        WireError, UnknownVariant, OptionError: it stands for none.
    """
    return State(
        ruleset=ruleset_from_opened(message.opened),
        dealer=message.opened.first_bidder,
        phase=named(PHASES, "phase", message.phase),
        wall=face_down(message.pack_left, "pack_left"),
        hands=hands_from_proto(message.hands),
        bottom=hand_from_proto(message.bottom),
        turn=message.turn_seat,
        landlord=message.landlord_seat if message.HasField("landlord_seat") else None,
        blind=message.blind,
        speeches=tuple(Speech(speech.seat, named(WORDS, "word", speech.word)) for speech in message.speeches),
        plays=tuple(map(_play_from_proto, message.plays)),
        multiplier=message.multiplier,
        result=ended_from_proto(message.ended) if message.HasField("ended") else None,
    )


def _play_to_proto(play: TablePlay) -> view_pb2.TablePlay:
    reading = None if play.reading is None else reading_to_proto(play.reading)
    return view_pb2.TablePlay(seat=play.seat, cards=play.cards, reading=reading)


def _play_from_proto(message: view_pb2.TablePlay) -> TablePlay:
    reading = reading_from_proto(message.reading, "plays.reading") if message.HasField("reading") else None
    return TablePlay(message.seat, tuple(message.cards), reading)
