-- Freezes an account, or ends that, once a request id. A frozen account takes no seat; a deal it sits in goes on.
-- ARGV: request id, fingerprint, account, 'freeze' | 'unfreeze', at_ms, actor, why
-- Answers: {OK | DUP, number} {REUSED, request id} {NOACCT, account} {INVALID, what}
-- KEYS[7] holds the request ids.

local request, fingerprint, account, verb = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local CHANGE = { freeze = 'SADD', unfreeze = 'SREM' }

local function freeze()
  if not CHANGE[verb] or request == '' or account == '' or is_system(account) or not whole(ARGV[5]) then
    return { 'INVALID', 'request' }
  end
  local first = remembered(request, fingerprint)
  if first then
    return first
  end
  if redis.call('HEXISTS', keys.balance, account) == 0 then
    return { 'NOACCT', account }
  end
  local number = append({
    kind = verb, at_ms = ARGV[5], actor = ARGV[6], why = ARGV[7], request = request, accounts = { account },
  }, {})
  redis.call(CHANGE[verb], keys.frozen, account)
  remember(request, fingerprint, digits(number))
  return { 'OK', digits(number) }
end

return opened(freeze)
