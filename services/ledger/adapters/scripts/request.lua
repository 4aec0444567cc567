-- Binds a request id to one content, over all assets: their books lie in several slots, this record in one.
-- KEYS: hash request id -> fingerprint. ARGV: request id, fingerprint
-- Answers: {OK} {REUSED, request id}

local record, request, fingerprint = KEYS[1], ARGV[1], ARGV[2]

local function bind()
  if request == '' or fingerprint == '' then
    return { 'INVALID', 'request' }
  end
  local first = redis.call('HGET', record, request)
  if first and first ~= fingerprint then
    return { 'REUSED', request }
  end
  -- A repeat writes too: a barrier after it then covers the first one's write.
  redis.call('HSET', record, request, fingerprint)
  return { 'OK' }
end

return bind()
