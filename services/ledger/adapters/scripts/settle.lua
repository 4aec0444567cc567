-- One settlement, carried out as one (PF-51) and once (PF-53). Nothing is written before the last check.
-- ARGV: table, epoch, seq, fingerprint, deal, at_ms, actor, count of legs, count of groups,
--       then payer, payee, amount, reason, group of each leg, then id, remainder_to of each group.
-- Answers: {OK | DUP, result} {FENCED, epoch} {GAP | OLD, last seq} {CONFLICT} {NOACCT | MISSING | FROZEN, account}
--          {INVALID | LIMIT, what}

local keys = named_keys()
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
    leg.payer_account = leg.payer
    leg.payee_account = leg.payee == SYSTEM and PENALTIES or leg.payee
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
  local function give(index)
    if not paid[index] then
      paid[index] = share + (odd > 0 and 1 or 0)
      odd = math.max(odd - 1, 0)
    end
  end
  if first then
    give(first)
  end
  for index = 1, #asks do
    give(index)
  end
  return paid
end

local function move(leg, paid, balances)
  leg.paid = paid
  balances[leg.payer_account] = balances[leg.payer_account] - paid
  balances[leg.payee_account] = balances[leg.payee_account] + paid
  leg.payer_after = balances[leg.payer_account]
  leg.payee_after = balances[leg.payee_account]
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
  local paid = fair_shares(asks, balances[legs[from].payer_account], first)
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
      move(leg, math.min(leg.asked, balances[leg.payer_account]), balances)
      index = index + 1
    else
      index = move_group(legs, index, groups[leg.group].remainder_to, balances)
    end
  end
end

-- Each of the legs' accounts once, in order of appearance: all of them, and those that pay.
local function accounts_of(legs)
  local all, payers, seen, pays = {}, {}, {}, {}
  for _, leg in ipairs(legs) do
    if not pays[leg.payer_account] then
      pays[leg.payer_account] = true
      payers[#payers + 1] = leg.payer_account
    end
    for _, account in ipairs({ leg.payer_account, leg.payee_account }) do
      if not seen[account] then
        seen[account] = true
        all[#all + 1] = account
      end
    end
  end
  return all, payers
end

local function read_balances(accounts)
  local balances, found = {}, redis.call('HMGET', keys.balance, unpack(accounts))
  for index, account in ipairs(accounts) do
    local balance = stored(found[index])
    if not balance and account ~= PENALTIES then
      return nil, { 'NOACCT', account }
    end
    balances[account] = balance or 0
  end
  return balances
end

-- A payer's balance is debited only by the table that has it reserved for this deal (PF-55), and not while frozen.
local function payers_problem(payers, held_deal)
  local locks = redis.call('HMGET', keys.lock, unpack(payers))
  for index, account in ipairs(payers) do
    if held_deal ~= deal or locks[index] ~= table_id then
      return { 'MISSING', account }
    end
  end
  local frozen = redis.call('SMISMEMBER', keys.frozen, unpack(payers))
  for index, account in ipairs(payers) do
    if frozen[index] == 1 then
      return { 'FROZEN', account }
    end
  end
  return nil
end

local function result_text(number, legs)
  local texts = {}
  for index, leg in ipairs(legs) do
    texts[index] = leg_text(leg)
  end
  return '{"number":' .. digits(number) .. ',"legs":[' .. table.concat(texts, ',') .. ']}'
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
  local record = redis.call('HMGET', keys.record, 'epoch', 'seq', 'deal', 'mark' .. slot, 'result' .. slot)
  local owner, last = tonumber(record[1] or '0'), tonumber(record[2] or '0')
  if epoch < owner then
    return { 'FENCED', digits(owner) }
  end
  if seq > last + 1 then
    return { 'GAP', digits(last) }
  end
  if seq <= last - RING then
    return { 'OLD', digits(last) }
  end
  if seq <= last then
    if record[4] ~= fingerprint then
      return { 'CONFLICT', digits(last) }
    end
    -- A repeat writes too: a barrier after it then covers the first one's write.
    redis.call('HSET', keys.record, 'epoch', ARGV[2])
    return { 'DUP', record[5] }
  end

  local accounts, payers = accounts_of(legs)
  local balances, account_problem = read_balances(accounts)
  local problem = account_problem or payers_problem(payers, record[3])
  if problem then
    return problem
  end

  move_all(legs, groups, balances)
  local number = append(keys.head, keys.journal, {
    kind = 'settle', at_ms = ARGV[6], actor = ARGV[7], table = table_id, epoch = ARGV[2], seq = ARGV[3], deal = deal,
  }, legs)
  local written = {}
  for _, account in ipairs(accounts) do
    written[#written + 1] = account
    written[#written + 1] = digits(balances[account])
  end
  redis.call('HSET', keys.balance, unpack(written))
  local result = result_text(number, legs)
  redis.call('HSET', keys.record, 'epoch', ARGV[2], 'seq', ARGV[3], 'mark' .. slot, fingerprint,
    'result' .. slot, result)
  return { 'OK', result }
end

return settle()
