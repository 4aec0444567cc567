-- Robots that were set aside are not needed. ARGV: milliseconds until they may be given a seat, robots...
local at = now_ms() + tonumber(ARGV[1])
for i = 2, #ARGV do
  if redis.call('EXISTS', player_key(ARGV[i])) == 0 then redis.call('ZADD', robots_key, at, ARGV[i]) end
end
return #ARGV - 1
