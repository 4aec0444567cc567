-- Another pod sees to a finished table; one, whoever asks first.
-- KEYS: meta
-- ARGV: the pod that had it, the new one
local known = redis.call('HMGET', KEYS[1], 'finished', 'pod')
if not known[1] or known[2] ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'pod', ARGV[2])
return 1
