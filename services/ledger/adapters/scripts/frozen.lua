-- The frozen accounts, and where the journal ends at the same moment. It changes nothing.
-- Answers: {number, hash, accounts...}

local function frozen()
  local found = redis.call('HMGET', keys.head, 'number', 'hash')
  return { found[1] or '0', found[2] or '', unpack(redis.call('SMEMBERS', keys.frozen)) }
end

return frozen()
