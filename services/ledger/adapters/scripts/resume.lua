-- Journals an operator's decision to go on with the books as they stand up to an entry, once a request id.
-- ARGV: request id, fingerprint, number of the entry, '1' if the journal must end there, at_ms, actor, why, lost entries,
--       where the archive ends from now on, or '-' where that stays as it was noted
-- Answers: {OK | DUP, 'number lost'} {REUSED, request id} {MOVED | INVALID, what}
-- KEYS[7] holds the request ids.

local request, fingerprint = ARGV[1], ARGV[2]

local function resume()
  local accepted = whole(ARGV[3])
  if request == '' or not accepted or (ARGV[4] ~= '0' and ARGV[4] ~= '1') or not whole(ARGV[5]) or not whole(ARGV[8])
    or not (ARGV[9] == '-' or whole(ARGV[9])) then
    return { 'INVALID', 'request' }
  end
  local first = remembered(request, fingerprint)
  if first then
    return first
  end
  if head.number < accepted or (ARGV[4] == '1' and head.number ~= accepted) then
    return { 'MOVED', digits(head.number) }
  end
  local number = append({
    kind = 'resume', at_ms = ARGV[5], actor = ARGV[6], why = ARGV[7], request = request, accepts = ARGV[3],
    lost = ARGV[8],
  }, {})
  local result = digits(number) .. ' ' .. ARGV[8]
  remember(request, fingerprint, result)
  if ARGV[9] ~= '-' then
    redis.call('HSET', keys.head, 'archived', ARGV[9])
    redis.call('HDEL', keys.head, 'cut_to')
  end
  return { 'OK', result }
end

return opened(resume)
