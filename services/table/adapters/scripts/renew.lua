-- A seat has used a renewed token: older ones are used up, for later owners too.
-- KEYS: meta
-- ARGV: epoch, the seat's field, generation
-- Returns: whether the table is still the caller's.
local known = redis.call('HMGET', KEYS[1], 'epoch', 'finished', ARGV[2])
if known[1] ~= ARGV[1] or known[2] then return 0 end
if tonumber(known[3] or '0') < tonumber(ARGV[3]) then redis.call('HSET', KEYS[1], ARGV[2], ARGV[3]) end
return 1
