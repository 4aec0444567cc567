-- Opens an account with its opening grant, once (PF-50).
-- ARGV: account, opening grant, at_ms, actor
-- Answers: {OPENED | SAME, balance, lock, frozen} {LIMIT, what} {INVALID, what}

local keys = named_keys()
local account = ARGV[1]

local function state(status, balance)
  return {
    status, balance, redis.call('HGET', keys.lock, account) or '',
    digits(redis.call('SISMEMBER', keys.frozen, account)),
  }
end

local function open()
  local amount = whole(ARGV[2])
  if not amount or not whole(ARGV[3]) or account == '' or is_system(account) then
    return { 'INVALID', 'request' }
  end
  local balance = redis.call('HGET', keys.balance, account)
  if balance then
    -- A repeat writes too: a barrier after it then covers the first one's write.
    redis.call('HSET', keys.balance, account, balance)
    return state('SAME', balance)
  end
  local entry = { kind = 'open', at_ms = ARGV[3], actor = ARGV[4] }
  local number, after = issue(keys, entry, account, amount, 'opening')
  if not number then
    return { 'LIMIT', 'supply' }
  end
  return state('OPENED', digits(after))
end

return open()
