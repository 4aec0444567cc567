-- A new table with the first entry of its log, owned under epoch 1.
-- KEYS: meta, log
-- ARGV: pod, authority, entry, clocks
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HSET', KEYS[1], 'epoch', '1', 'pod', ARGV[1], 'authority', ARGV[2], 'token', '', 'seq', '1',
  'clocks', ARGV[4], 'clocks_at', now, 'start:1', '0')
redis.call('XADD', KEYS[2], '1-0', 'e', ARGV[3], 't', now)
return 1
