-- Moves back what an entry moved, once an entry: the legs come mirrored, from the last to the first, each at most
-- what is left. Balances that a table has locked are not debited by others (PF-55).
-- ARGV: request id, fingerprint, number of the entry, at_ms, actor, why, table, deal, count of legs,
--       then payer, payee, amount of each leg
-- Answers: {OK | DUP, result} {REUSED, request id} {REVERSED, number} {NOACCT | LOCKED, account} {INVALID, what}
--          {WRONG, ''}
-- KEYS[7] holds the request ids, and under '#' and an entry's number what reversed it.

local request, fingerprint = ARGV[1], ARGV[2]
local LEG_WIDTH, FIRST_LEG = 3, 10

local function read_legs(leg_count)
  local legs = {}
  for index = 1, leg_count do
    local at = FIRST_LEG + (index - 1) * LEG_WIDTH
    local asked = whole(ARGV[at + 2])
    local leg = { payer = ARGV[at], payee = ARGV[at + 1], asked = asked, reason = 'reversal', group = 0 }
    if not asked or leg.payer == '' or leg.payee == '' or account_of(leg.payer) == account_of(leg.payee) then
      return nil
    end
    legs[index] = leg
  end
  return legs
end

local function locked_payer(payers)
  local locks = redis.call('HMGET', keys.lock, unpack(payers))
  for index, account in ipairs(payers) do
    if locks[index] then
      return account
    end
  end
  return nil
end

-- To take the reversal of a grant back is to grant again.
local function pays_new_money(payers)
  for _, account in ipairs(payers) do
    if account == ISSUANCE then
      return true
    end
  end
  return false
end

local function reverse()
  local reversed, leg_count = whole(ARGV[3]), whole(ARGV[9])
  if request == '' or not reversed or reversed == 0 or reversed > head.number or not whole(ARGV[4]) or not leg_count
    or leg_count == 0 or #ARGV ~= FIRST_LEG - 1 + leg_count * LEG_WIDTH then
    return { 'INVALID', 'request' }
  end
  local legs = read_legs(leg_count)
  if not legs then
    return { 'INVALID', 'legs' }
  end
  local first = remembered(request, fingerprint)
  if first then
    return first
  end
  local mark = '#' .. ARGV[3]
  local by = redis.call('HGET', keys.record, mark)
  if by then
    return { 'REVERSED', by }
  end
  local accounts, payers = accounts_of(legs)
  local balances, problem = read_balances(accounts, { [ISSUANCE] = true, [PENALTIES] = true })
  if not balances then
    return problem
  end
  if head.wrong and pays_new_money(payers) then
    return { 'WRONG', '' }
  end
  local locked = locked_payer(payers)
  if locked then
    return { 'LOCKED', locked }
  end
  for _, leg in ipairs(legs) do
    move(leg, math.min(leg.asked, available(account_of(leg.payer), balances)), balances)
  end
  local number, texts = append({
    kind = 'reverse', at_ms = ARGV[4], actor = ARGV[5], why = ARGV[6], request = request, table = ARGV[7],
    deal = ARGV[8], reverses = ARGV[3],
  }, legs, accounts)
  write_balances(balances)
  local result = result_text(number, texts)
  remember(request, fingerprint, result)
  redis.call('HSET', keys.record, mark, digits(number))
  return { 'OK', result }
end

return opened(reverse)
