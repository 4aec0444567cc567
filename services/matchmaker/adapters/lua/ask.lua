-- Records which pod is about to be asked for the table, and renews the lease.
-- ARGV: match, generation, pod, lease in ms. Returns the match's age in ms, or -1 when it is not the caller's.
local match, generation, pod, lease_ms = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
if not is_ours(match, generation) then return -1 end
local now = now_ms()
redis.call('HSET', match_key(match), 'stage', 'asked', 'pod', pod)
redis.call('ZADD', matches_key, now + lease_ms, match)
return math.max(0, now - tonumber(redis.call('HGET', match_key(match), 'taken_ms')))
