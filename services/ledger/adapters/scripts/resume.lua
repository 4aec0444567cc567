-- Journals an operator's decision to go on with the books as they stand, once a request id.
-- ARGV: request id, fingerprint, number the journal must end at, at_ms, actor, why
-- Answers: {OK | DUP, number} {REUSED, request id} {MOVED | INVALID, what}
-- KEYS[7] holds the request ids.

local request, fingerprint = ARGV[1], ARGV[2]

local function resume()
  if request == '' or not whole(ARGV[3]) or not whole(ARGV[4]) then
    return { 'INVALID', 'request' }
  end
  local first = remembered(request, fingerprint)
  if first then
    return first
  end
  if head.number ~= whole(ARGV[3]) then
    return { 'MOVED', digits(head.number) }
  end
  local number = append({ kind = 'resume', at_ms = ARGV[4], actor = ARGV[5], why = ARGV[6], request = request }, {})
  remember(request, fingerprint, digits(number))
  return { 'OK', digits(number) }
end

return opened(resume)
