-- Locks the balances of all seats of a table for one deal, all or none (PF-55). The key is (table, deal): again with
-- the same accounts, it is reserved already; a deal that was released, as one of the last 16, is not reserved again, so
-- that a request that arrives late locks nobody for ever.
-- ARGV: table, epoch, deal, least balance, kept_ms, at_ms, actor, accounts...
-- Answers: {OK | REFUSED, balance, refusal, balance, refusal ...} {FENCED, epoch} {HELD | RELEASED | CHANGED, deal}
--          {INVALID, what}

local table_id, deal = ARGV[1], ARGV[3]
local FIRST_ACCOUNT = 8

local function read_accounts()
  local accounts, seen = {}, {}
  for index = FIRST_ACCOUNT, #ARGV do
    local account = ARGV[index]
    if account == '' or is_system(account) or seen[account] then
      return nil
    end
    seen[account] = true
    accounts[#accounts + 1] = account
  end
  return #accounts > 0 and accounts or nil
end

local function record_problem(record, epoch, accounts)
  local held, released = record[2] or '', record[4]
  if epoch < tonumber(record[1] or '0') then
    return { 'FENCED', record[1] }
  end
  if held == deal and record[3] ~= table.concat(accounts, ' ') then
    return { 'CHANGED', deal }
  end
  if held ~= '' and held ~= deal then
    return { 'HELD', held }
  end
  if held == '' and is_among(released, deal) then
    return { 'RELEASED', deal }
  end
  return nil
end

local function seat_refusal(balance, lock, frozen, least)
  if not balance then
    return 'ACCOUNT_UNKNOWN'
  elseif lock and lock ~= table_id then
    return 'LOCKED_ELSEWHERE'
  elseif frozen == 1 then
    return 'FROZEN'
  elseif balance < least then
    return 'BELOW_MINIMUM'
  end
  return ''
end

local function seat_rows(accounts, least, is_held)
  local balances = redis.call('HMGET', keys.balance, unpack(accounts))
  local locks = redis.call('HMGET', keys.lock, unpack(accounts))
  local frozen = redis.call('SMISMEMBER', keys.frozen, unpack(accounts))
  local rows, all_free = {}, true
  for index = 1, #accounts do
    local balance = stored(balances[index])
    local refusal = is_held and '' or seat_refusal(balance, locks[index], frozen[index], least)
    all_free = all_free and refusal == ''
    rows[#rows + 1] = digits(balance or 0)
    rows[#rows + 1] = refusal
  end
  return rows, all_free
end

local function reserve()
  local epoch, least, accounts = whole(ARGV[2]), whole(ARGV[4]), read_accounts()
  if not epoch or epoch == 0 or not least or not accounts or deal == '' or not whole(ARGV[6]) then
    return { 'INVALID', 'request' }
  end
  local record = redis.call('HMGET', keys.record, 'epoch', 'deal', 'accounts', 'released', 'entry')
  local problem = record_problem(record, epoch, accounts)
  if problem then
    return problem
  end
  local rows, all_free = seat_rows(accounts, least, record[2] == deal)
  if not all_free then
    return { 'REFUSED', unpack(rows) }
  end
  local locks = {}
  for _, account in ipairs(accounts) do
    locks[#locks + 1] = account
    locks[#locks + 1] = table_id
  end
  if record[2] ~= deal then
    local number = append({
      kind = 'reserve', at_ms = ARGV[6], actor = ARGV[7], table = table_id, epoch = ARGV[2], deal = deal,
      prior = record[5] or '0', accounts = accounts,
    }, {})
    redis.call('HSET', keys.record, 'entry', digits(number))
  end
  redis.call('HSET', keys.record, 'epoch', ARGV[2], 'deal', deal, 'accounts', table.concat(accounts, ' '))
  redis.call('HSET', keys.lock, unpack(locks))
  keep_record(true, ARGV[5])
  return { 'OK', unpack(rows) }
end

return opened(reserve)
