-- Gives an account money once a request id (PF-50, PF-53): out of issuance, a grant; out of a fund, relief.
-- ARGV: request id, fingerprint, account, amount, at_ms, actor, why, source, budget of the fund that takes part
-- Answers: {OK | DUP, 'number balance'} {REUSED, request id} {NOACCT, account} {LIMIT | INVALID, what}
--          {BUDGET, fund} {WRONG, ''}
-- KEYS[7] holds the request ids.

local request, fingerprint, account, source = ARGV[1], ARGV[2], ARGV[3], ARGV[8]

local function grant()
  local amount, problem = whole(ARGV[4])
  if not amount then
    return { problem, 'amount' }
  end
  local budget = whole(ARGV[9])
  local fund, fits = fund_of(source, account)
  if amount == 0 or not budget or not whole(ARGV[5]) or request == '' or account == '' or not fits
    or (is_system(account) and not is_fund(account)) then
    return { 'INVALID', 'request' }
  end
  local first = remembered(request, fingerprint)
  if first then
    return first
  end
  if head.wrong then
    return { 'WRONG', '' }
  end
  if not is_fund(account) and redis.call('HEXISTS', keys.balance, account) == 0 then
    return { 'NOACCT', account }
  end
  local kind = source == ISSUANCE and 'grant' or 'relief'
  local legs, balances, accounts = give({
    source = source, account = account, amount = amount, reason = kind, fund = fund, budget = budget,
  })
  if not legs then
    return { balances, balances == 'LIMIT' and 'supply' or source }
  end
  local number = append({ kind = kind, at_ms = ARGV[5], actor = ARGV[6], why = ARGV[7], request = request }, legs,
    accounts)
  write_balances(balances)
  local result = digits(number) .. ' ' .. digits(balances[account])
  remember(request, fingerprint, result)
  return { 'OK', result }
end

return opened(grant)
