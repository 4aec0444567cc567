"""Which rules a question is about."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from games.catalog import UnknownVariant, UnknownVersion, editions, variant_of
from games.kernel import OptionError
from games.kernel import Variant as AnyVariant
from games.landlord.ruleset import Ruleset as LandlordRuleset
from games.landlord.variant import LandlordVariant
from games.mahjong.ruleset import Ruleset
from games.mahjong.variant import Variant
from refusals import Reason, Refusal

OPTION_COUNT_MAX = 32
NAME_LENGTH_MAX = 64
DEFAULT_STAKE = 1


@dataclass(frozen=True, slots=True)
class RulesetQuery:
    """Rules as they are asked for.

    Attributes:
        variant: id.
        version: pinned version; 0 for the newest.
        options: the variant's named options; those left out have their defaults.
        stake: base in units of the asset; 0 for 1.
    """

    variant: str
    version: int
    options: Mapping[str, object]
    stake: int


V = TypeVar("V", Variant, LandlordVariant)


def ruleset_of(query: RulesetQuery) -> Ruleset:
    """The rules of the mahjong family that are asked for.

    Raises:
        Refusal: RULESET_UNKNOWN: no such variant, or not in this version; OPTION_INVALID: naming the option.
    """
    variant = _variant_of(query, Variant)
    try:
        return variant.ruleset(query.options, query.stake or DEFAULT_STAKE)
    except OptionError as error:
        raise option_refusal(error) from None


def landlord_ruleset_of(query: RulesetQuery) -> LandlordRuleset:
    """The rules of the landlord family that are asked for. Raises: as `ruleset_of`."""
    variant = _variant_of(query, LandlordVariant)
    try:
        return variant.ruleset(query.options, query.stake or DEFAULT_STAKE)
    except OptionError as error:
        raise option_refusal(error) from None


def is_landlord(query: RulesetQuery) -> bool:
    """Whether the rules that are asked for are of the landlord family. Raises: Refusal: RULESET_UNKNOWN."""
    return isinstance(known_variant(query.variant, query.version, "ruleset."), LandlordVariant)


def _variant_of(query: RulesetQuery, family: type[V]) -> V:
    """The variant in the version asked for, if it is of this family."""
    variant = known_variant(query.variant, query.version, "ruleset.")
    if not isinstance(variant, family):
        raise unknown_ruleset("ruleset.variant", f"{variant.variant_id} is of another family of games")
    check_option_names(tuple(query.options))
    return variant


def known_variant(variant_id: str, version: int, prefix: str = "") -> AnyVariant:
    """The variant of any family, in the version asked for; 0 for the newest.

    Args:
        prefix: what stands before the names of the fields in the request.

    Raises:
        Refusal: RULESET_UNKNOWN.
    """
    try:
        return variant_of(variant_id, version)
    except UnknownVariant:
        raise unknown_ruleset(f"{prefix}variant", "no variant has this id") from None
    except UnknownVersion as error:
        known = ", ".join(map(str, error.known))
        raise unknown_ruleset(f"{prefix}version", f"{error.variant_id} is answered in version {known}") from None


def unknown_ruleset(field: str, detail: str) -> Refusal:
    """A refusal RULESET_UNKNOWN."""
    return Refusal(Reason.RULESET_UNKNOWN, field=field, detail=detail)


def check_option_names(names: tuple[str, ...]) -> None:
    """Refuse what cannot be options before anything repeats their names.

    Raises:
        Refusal: OPTION_INVALID.
    """
    if len(names) > OPTION_COUNT_MAX or any(len(name) > NAME_LENGTH_MAX for name in names):
        detail = f"at most {OPTION_COUNT_MAX} options, each with a name of at most {NAME_LENGTH_MAX} letters"
        raise Refusal(Reason.OPTION_INVALID, field="ruleset.options", detail=detail)


def option_refusal(error: OptionError) -> Refusal:
    """An option the variant does not accept, as a refusal that names it."""
    field = "ruleset.stake" if error.field == "stake" else f"ruleset.options.{error.field}"
    return Refusal(Reason.OPTION_INVALID, field=field, detail=error.detail, metadata={"option": error.field})


PAGE_SIZE, PAGE_SIZE_MAX = 50, 200


@dataclass(frozen=True, slots=True)
class Listed:
    """A page of variants, each in its newest version with all it is answered in, and where the next page begins."""

    variants: tuple[tuple[AnyVariant, tuple[int, ...]], ...]
    next_page_token: str


def list_rulesets(page_size: int, page_token: str) -> Listed:
    """A page of the variants, by id.

    Raises:
        Refusal: INVALID_FIELD: too large a page.
    """
    if page_size > PAGE_SIZE_MAX:
        raise Refusal(Reason.INVALID_FIELD, field="page_size", detail=f"at most {PAGE_SIZE_MAX}")
    after = sorted(name for name in editions() if name > page_token)
    page = after[: page_size or PAGE_SIZE]
    return Listed(
        tuple((editions()[name][max(editions()[name])], tuple(editions()[name])) for name in page),
        page[-1] if len(page) < len(after) else "",
    )


def versions_of(variant_id: str) -> tuple[int, ...]:
    """Versions of a variant that are answered, ascending."""
    return tuple(editions()[variant_id])
