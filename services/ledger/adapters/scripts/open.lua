-- Opens an account with what it begins with, once (PF-50): out of issuance, or out of a fund.
-- ARGV: account, units it begins with, at_ms, actor, source, budget of the fund that takes part
-- Answers: {OPENED | SAME, balance, lock, frozen} {LIMIT | INVALID, what} {BUDGET, fund}

local account, source = ARGV[1], ARGV[5]

local function state(status, balance)
  return {
    status, balance, redis.call('HGET', keys.lock, account) or '',
    digits(redis.call('SISMEMBER', keys.frozen, account)),
  }
end

local function open()
  local amount, budget = whole(ARGV[2]), whole(ARGV[6])
  local fund, fits = fund_of(source, account)
  if not amount or not budget or not whole(ARGV[3]) or account == '' or not fits or is_system(account) then
    return { 'INVALID', 'request' }
  end
  local balance = redis.call('HGET', keys.balance, account)
  if balance then
    -- A repeat writes too: a barrier after it then covers the first one's write.
    redis.call('HSET', keys.balance, account, balance)
    return state('SAME', balance)
  end
  local legs, balances, accounts = give({
    source = source, account = account, amount = amount, reason = 'opening', fund = fund, budget = budget,
  })
  if not legs then
    return { balances, balances == 'LIMIT' and 'supply' or source }
  end
  append({ kind = 'open', at_ms = ARGV[3], actor = ARGV[4] }, legs, accounts)
  write_balances(balances)
  return state('OPENED', digits(balances[account]))
end

return opened(open)
