-- Sets robots aside for a table in the making. ARGV: how many, milliseconds after which they are free again by themselves.
-- Returns their names: robots without a seat, the one that is free for longest first, and new ones where too few are.
local wanted, lease_ms = tonumber(ARGV[1]), tonumber(ARGV[2])
local now = now_ms()
local names = redis.call('ZRANGEBYSCORE', robots_key, '-inf', now, 'LIMIT', 0, wanted)
while #names < wanted do names[#names + 1] = 'robot:' .. redis.call('INCR', tag .. ':robot_count') end
for _, name in ipairs(names) do redis.call('ZADD', robots_key, now + lease_ms, name) end
return names
