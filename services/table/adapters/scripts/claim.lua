-- A new owner under the next epoch, if the epoch is still the one he saw.
-- KEYS: meta, answers
-- ARGV: epoch seen, pod, authority, epochs whose beginnings are remembered
-- Returns: epoch, seq, clocks, their age in milliseconds, answers, fields and values of meta, and the store's time; or
-- nothing.
local known = redis.call('HMGET', KEYS[1], 'epoch', 'seq', 'clocks', 'clocks_at', 'finished')
if known[1] ~= ARGV[1] or known[5] then return false end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local epoch = tonumber(known[1]) + 1
redis.call('HSET', KEYS[1], 'epoch', string.format('%d', epoch), 'pod', ARGV[2], 'authority', ARGV[3], 'token', '',
  string.format('start:%d', epoch), known[2])
redis.call('HDEL', KEYS[1], string.format('start:%d', epoch - tonumber(ARGV[4])))
return {epoch, tonumber(known[2]), known[3], now - tonumber(known[4]), redis.call('LRANGE', KEYS[2], 0, -1),
  redis.call('HGETALL', KEYS[1]), now}
