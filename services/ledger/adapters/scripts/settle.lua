-- One settlement, carried out as one (PF-51) and once (PF-53). Nothing is written before the last check.
-- ARGV: table, epoch, seq, fingerprint, deal, at_ms, actor, count of legs, count of groups,
--       then payer, payee, amount, reason, group of each leg, then id, remainder_to of each group.
-- Answers: {OK | DUP, result} {FENCED, epoch} {GAP | CONFLICT, last seq} {OLD, last seq, last entry}
--          {NOACCT | MISSING, account} {INVALID | LIMIT, what}

local table_id, fingerprint, deal = ARGV[1], ARGV[4], ARGV[5]
local LEG_WIDTH, FIRST_LEG = 5, 10

local function read_groups(leg_count, group_count)
  local groups = {}
  local at = FIRST_LEG + leg_count * LEG_WIDTH
  for index = 1, group_count do
    local id, problem = whole(ARGV[at])
    if not id or id == 0 or groups[id] then
      return nil, { problem or 'INVALID', 'group ' .. index }
    end
    groups[id] = { remainder_to = ARGV[at + 1], payees = {}, used = false }
    at = at + 2
  end
  return groups
end

-- Parties of a leg: two different ones; a player always pays, and the system only receives penalties (PF-54).
local function parties_fit(leg)
  local to_system = leg.payee == SYSTEM
  return leg.payer ~= '' and leg.payee ~= '' and leg.payer ~= leg.payee
    and not is_system(leg.payer)
    and (to_system or not is_system(leg.payee))
    and to_system == (leg.reason == 'penalty')
end

-- A group is one payer's legs to different payees, side by side (PF-52).
local function group_fits(group, leg, before)
  if not group then
    return false
  end
  local goes_on = before ~= nil and before.group == leg.group
  if goes_on ~= group.used or (goes_on and before.payer ~= leg.payer) or group.payees[leg.payee] then
    return false
  end
  group.used = true
  group.payees[leg.payee] = true
  return true
end

local function read_legs(leg_count, groups)
  local legs = {}
  for index = 1, leg_count do
    local at = FIRST_LEG + (index - 1) * LEG_WIDTH
    local asked, problem = whole(ARGV[at + 2])
    local group, group_problem = whole(ARGV[at + 4])
    if not asked or not group then
      return nil, { problem or group_problem, 'leg ' .. index }
    end
    local leg = { payer = ARGV[at], payee = ARGV[at + 1], asked = asked, reason = ARGV[at + 3], group = group }
    if not parties_fit(leg) or (group ~= 0 and not group_fits(groups[group], leg, legs[index - 1])) then
      return nil, { 'INVALID', 'leg ' .. index }
    end
    legs[index] = leg
  end
  for id, group in pairs(groups) do
    if not group.used or (group.remainder_to ~= '' and not group.payees[group.remainder_to]) then
      return nil, { 'INVALID', 'group ' .. digits(id) }
    end
  end
  return legs
end

-- What each of the asks gets of `available`: the same for all, nobody more than asked; the units that are left,
-- one each, to the one at `first` and then in order.
local function fair_shares(asks, available, first)
  local order, paid = {}, {}
  for index = 1, #asks do
    order[index] = index
  end
  table.sort(order, function(one, other)
    return asks[one] < asks[other] or (asks[one] == asks[other] and one < other)
  end)
  local left, unpaid, share = available, #asks, 0
  for _, index in ipairs(order) do
    share = (left - math.fmod(left, unpaid)) / unpaid
    if asks[index] > share then
      break
    end
    paid[index] = asks[index]
    left = left - asks[index]
    unpaid = unpaid - 1
  end
  local odd = unpaid > 0 and left - share * unpaid or 0
  local function hand_out(index)
    if not paid[index] then
      paid[index] = share + (odd > 0 and 1 or 0)
      odd = math.max(odd - 1, 0)
    end
  end
  if first then
    hand_out(first)
  end
  for index = 1, #asks do
    hand_out(index)
  end
  return paid
end

-- Moves the legs of one group, those from `from` on; returns the index after them.
local function move_group(legs, from, remainder_to, balances)
  local asks, first, to = {}, nil, from
  while legs[to] and legs[to].group == legs[from].group do
    asks[#asks + 1] = legs[to].asked
    if legs[to].payee == remainder_to then
      first = #asks
    end
    to = to + 1
  end
  local paid = fair_shares(asks, available(legs[from].payer, balances), first)
  for index = from, to - 1 do
    move(legs[index], paid[index - from + 1], balances)
  end
  return to
end

local function move_all(legs, groups, balances)
  local index = 1
  while legs[index] do
    local leg = legs[index]
    if leg.group == 0 then
      move(leg, math.min(leg.asked, available(leg.payer, balances)), balances)
      index = index + 1
    else
      index = move_group(legs, index, groups[leg.group].remainder_to, balances)
    end
  end
end

-- A payer's balance is debited only by the table that has it reserved for this deal (PF-55). Whoever was frozen since
-- pays on: no deal stops half way.
local function payers_problem(payers, held_deal)
  local locks = redis.call('HMGET', keys.lock, unpack(payers))
  for index, account in ipairs(payers) do
    if held_deal ~= deal or locks[index] ~= table_id then
      return { 'MISSING', account }
    end
  end
  return nil
end

-- The groups as the journal holds them: with them an entry tells all that was asked.
local function groups_text(leg_count, group_count)
  local texts = {}
  local at = FIRST_LEG + leg_count * LEG_WIDTH
  for index = 1, group_count do
    texts[index] = '[' .. ARGV[at] .. ',' .. quote(ARGV[at + 1]) .. ']'
    at = at + 2
  end
  return group_count > 0 and '[' .. table.concat(texts, ',') .. ']' or nil
end

local function settle()
  local epoch, seq = whole(ARGV[2]), whole(ARGV[3])
  local leg_count, group_count = whole(ARGV[8]), whole(ARGV[9])
  if not epoch or epoch == 0 or not seq or seq == 0 or not leg_count or leg_count == 0 or not group_count
    or not whole(ARGV[6]) or #ARGV ~= FIRST_LEG - 1 + leg_count * LEG_WIDTH + group_count * 2 then
    return { 'INVALID', 'request' }
  end
  local groups, groups_problem = read_groups(leg_count, group_count)
  if not groups then
    return groups_problem
  end
  local legs, legs_problem = read_legs(leg_count, groups)
  if not legs then
    return legs_problem
  end

  local slot = digits(seq % RING)
  local record = read_sequence(slot)
  local answer = sequence_answer(record, epoch, seq, fingerprint)
  if answer then
    return answer
  end

  local accounts, payers = accounts_of(legs)
  local balances, account_problem = read_balances(accounts, { [PENALTIES] = true })
  local problem = account_problem or payers_problem(payers, record[3])
  if problem then
    return problem
  end

  move_all(legs, groups, balances)
  local number, texts = append({
    kind = 'settle', at_ms = ARGV[6], actor = ARGV[7], table = table_id, epoch = ARGV[2], seq = ARGV[3], deal = deal,
    prior = record[6] or '0', groups = groups_text(leg_count, group_count),
  }, legs, accounts)
  write_balances(balances)
  local result = result_text(number, texts)
  write_sequence(slot, ARGV[2], ARGV[3], fingerprint, number, result)
  return { 'OK', result }
end

return opened(settle)
