-- Takes over matches whose handler let the lease run out. ARGV: lease in ms, how many at most.
-- Returns {match, flat hash, match, flat hash, ...}; the generation is raised, so that the old handler is refused.
local lease_ms, limit = tonumber(ARGV[1]), ARGV[2]
local now = now_ms()
local claimed = {}
for _, match in ipairs(redis.call('ZRANGEBYSCORE', matches_key, '-inf', now, 'LIMIT', 0, limit)) do
  redis.call('HINCRBY', match_key(match), 'generation', 1)
  redis.call('ZADD', matches_key, now + lease_ms, match)
  claimed[#claimed + 1] = match
  claimed[#claimed + 1] = redis.call('HGETALL', match_key(match))
end
return claimed
