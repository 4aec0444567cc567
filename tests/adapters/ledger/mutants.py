"""Ways to break the scripts: each must be noticed."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of one script: ``old``, which stands there once, becomes ``new``."""

    name: str
    script: str
    old: str
    new: str


MUTANTS = (
    # What all scripts share
    Mutant("numbers with a point pass", "books", "'^[1-9]%d*$'", "'^[1-9][%d.]*$'"),
    Mutant("amounts above 2^53 - 1 pass", "books", "if #text > 16 or number > UNITS_MAX then", "if false then"),
    Mutant("large numbers are rounded", "books", "string.format('%.0f', number)", "tostring(number)"),
    Mutant("damaged balances are read", "books", "error('a stored balance is not a whole number')", "return 0"),
    Mutant("a store that lost entries is written to", "books", "elseif head.number < seen then", "elseif false then"),
    Mutant("the hash covers the body only", "books", "redis.sha1hex(head.hash .. '\\n' .. body)",
           "redis.sha1hex(body)"),
    Mutant("the head stays behind", "books", "'HSET', keys.head, 'number', number_text",
           "'HSET', keys.head, 'number', digits(number - 1)"),
    Mutant("the head keeps the old hash", "books", "'number', number_text, 'hash', hash)",
           "'number', number_text, 'hash', head.hash)"),
    Mutant("statements lose their thread", "books", "    redis.call('HSET', keys.last, unpack(lasts))\n", ""),
    Mutant("a payee is not credited", "books", "balances[payee] = balances[payee] + paid",
           "balances[payee] = balances[payee]"),
    Mutant("a payer pays twice", "books", "balances[payer] = balances[payer] - paid",
           "balances[payer] = balances[payer] - 2 * paid"),
    Mutant("unknown accounts have nothing instead", "books", "if not balance and not may_lack[account] then",
           "if false then"),
    Mutant("funds give what they have not", "books", "if leg.asked > available(leg.payer, balances) then",
           "if leg.payer == ISSUANCE and leg.asked > available(leg.payer, balances) then"),
    Mutant("the supply has no limit", "books", "UNITS_MAX + balances[ISSUANCE]", "UNITS_MAX"),
    Mutant("a fund has its budget again and again", "books",
           "gift.budget > 0 and redis.call('HEXISTS', keys.balance, fund) == 0", "gift.budget > 0"),
    Mutant("a request id may change its content", "books", "if mark ~= fingerprint then", "if false then"),
    Mutant("stale owners settle", "books", "if epoch < owner then", "if false then"),
    Mutant("owners of the same epoch are stale", "books", "if epoch < owner then", "if epoch <= owner then"),
    Mutant("seqs have gaps", "books", "if seq > last + 1 then", "if seq > last + 2 then"),
    Mutant("one result too many is remembered", "books", "if seq <= last - RING then", "if seq < last - RING then"),
    Mutant("another content passes for a repeat", "books", "if record[4] ~= fingerprint then", "if false then"),
    Mutant("a record without a stake stays for ever", "books", "redis.call('PEXPIRE', keys.record, kept_ms)",
           "redis.call('PERSIST', keys.record)"),
    # Settlements
    Mutant("a repeat pays again", "books", "  if seq <= last then\n    if record[4]",
           "  if seq < last then\n    if record[4]"),
    Mutant("payers go below zero", "settle", "math.min(leg.asked, available(leg.payer, balances))", "leg.asked"),
    Mutant("wins go to the system", "settle", "    and to_system == (leg.reason == 'penalty')\n", "\n"),
    Mutant("money comes from the issue account", "settle", "    and not is_system(leg.payer)\n", ""),
    Mutant("who pays himself is paid", "settle", " and leg.payer ~= leg.payee\n", "\n"),
    Mutant("odd units go to the last", "settle", "  if first then\n    hand_out(first)\n  end\n", ""),
    Mutant("odd units are lost", "settle", "share + (odd > 0 and 1 or 0)", "share"),
    Mutant("a group shares pass by pass", "settle", "left = left - asks[index]", "left = left - share"),
    Mutant("any table debits anybody", "settle", "locks[index] ~= table_id", "false"),
    Mutant("stakes of another deal pay", "settle", "held_deal ~= deal or ", ""),
    Mutant("balances are not written", "settle", "  write_balances(balances)\n", ""),
    Mutant("results are not remembered", "settle",
           "  write_sequence(slot, ARGV[2], ARGV[3], fingerprint, number, result)\n", ""),
    # Stakes
    Mutant("players sit at two tables", "reserve", "lock and lock ~= table_id", "false"),
    Mutant("frozen players sit", "reserve", "frozen == 1", "false"),
    Mutant("poor players sit", "reserve", "balance < least", "false"),
    Mutant("some are locked, some are not", "reserve", "  if not all_free then\n", "  if false then\n"),
    Mutant("a released deal is reserved again", "reserve", "held == '' and is_among(released, deal)", "false"),
    Mutant("only the last released deal is known", "books", "if #deals < RING then", "if #deals < 1 then"),
    Mutant("a release frees another deal", "release", "held == '' or held == deal", "true"),
    Mutant("a release frees what others hold", "release", "redis.call('HGET', keys.lock, account) == table_id", "true"),
    Mutant("locks stay", "release", "    redis.call('HDEL', keys.lock, unpack(freed))\n", ""),
    Mutant("stale owners claim", "claim", "epoch < tonumber(record[1] or '0')", "false"),
    Mutant("a claim fences nobody", "claim", "  redis.call('HSET', keys.record, 'epoch', ARGV[2])\n", ""),
    # Accounts and operators
    Mutant("accounts open twice", "open", "  if balance then\n", "  if false then\n"),
    Mutant("wrong books grant", "grant", "  if head.wrong then\n", "  if false then\n"),
    Mutant("grants are forgotten", "grant", "  remember(request, fingerprint, result)\n", ""),
    Mutant("ids are bound to nothing", "request", "first and first ~= fingerprint", "false"),
    Mutant("entries are reversed again", "reverse", "  redis.call('HSET', keys.record, mark, digits(number))\n", ""),
    Mutant("wrong books grant by a reversal", "reverse", "if head.wrong and", "if false and"),
    Mutant("reversals debit who sits", "reverse", "    if locks[index] then\n", "    if false then\n"),
    Mutant("reversals take what is not there", "reverse",
           "math.min(leg.asked, available(account_of(leg.payer), balances))", "leg.asked"),
    Mutant("freezing does nothing", "freeze", "  redis.call(CHANGE[verb], keys.frozen, account)\n", ""),
    Mutant("a void is forgotten", "void", "  write_sequence(slot, ARGV[2], ARGV[3], ARGV[4], number, result)\n", ""),
    Mutant("a note of before undoes a decision", "note", "(whole(noted) and noted or '0') ~= ARGV[1]", "false"),
    Mutant("any end will do to resume", "resume", "(ARGV[4] == '1' and head.number ~= accepted)", "false"),
)  # fmt: skip
