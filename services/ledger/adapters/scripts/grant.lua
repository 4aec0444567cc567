-- Brings money into being for an account, once a request id (PF-50, PF-53).
-- ARGV: request id, fingerprint, account, amount, at_ms, actor, why
-- Answers: {OK | DUP, number, balance after} {REUSED, request id} {NOACCT, account} {LIMIT, what} {INVALID, what}
-- KEYS[6] holds the request ids.

local keys = named_keys()
local request, fingerprint, account = ARGV[1], ARGV[2], ARGV[3]

local function grant()
  local amount, problem = whole(ARGV[4])
  if not amount then
    return { problem, 'amount' }
  end
  if amount == 0 or not whole(ARGV[5]) or request == '' or account == '' or is_system(account) then
    return { 'INVALID', 'request' }
  end
  local first = redis.call('HGET', keys.record, request)
  if first then
    local mark, number, after = string.match(first, '^(%S+) (%d+) (%d+)$')
    if mark ~= fingerprint then
      return { 'REUSED', request }
    end
    -- A repeat writes too: a barrier after it then covers the first one's write.
    redis.call('HSET', keys.record, request, first)
    return { 'DUP', number, after }
  end
  if redis.call('HEXISTS', keys.balance, account) == 0 then
    return { 'NOACCT', account }
  end
  local entry = { kind = 'grant', at_ms = ARGV[5], actor = ARGV[6], why = ARGV[7], request = request }
  local number, after = issue(keys, entry, account, amount, 'grant')
  if not number then
    return { 'LIMIT', 'supply' }
  end
  redis.call('HSET', keys.record, request, fingerprint .. ' ' .. digits(number) .. ' ' .. digits(after))
  return { 'OK', digits(number), digits(after) }
end

return grant()
