-- One turn of a table, all or nothing: fenced by the owner's epoch, repeatable, in its place in the log.
-- KEYS: meta, log, answers, requests of the deal, requests of a deal to be forgotten
-- ARGV: epoch, token, expected seq, clocks ('' keeps them), clears answers (1/0), forgets a deal (1/0),
--       request: field ('' for none), its row, the seat's field for its last request, the request id,
--       number of private entries, private entries..., entries...
local known = redis.call('HMGET', KEYS[1], 'epoch', 'token', 'seq', 'finished')
if known[1] ~= ARGV[1] or known[4] then return 'fenced' end
if known[2] == ARGV[2] then return 'stored' end
if known[3] ~= ARGV[3] then return 'behind' end
if ARGV[7] ~= '' and redis.call('HEXISTS', KEYS[4], ARGV[7]) == 1 then return 'known' end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local seq = tonumber(ARGV[3])
local first_private, private_count = 12, tonumber(ARGV[11])
for index = first_private + private_count, #ARGV do
  seq = seq + 1
  redis.call('XADD', KEYS[2], string.format('%d-0', seq), 'e', ARGV[index], 't', now)
end
if ARGV[4] == '' then
  redis.call('HSET', KEYS[1], 'token', ARGV[2], 'seq', string.format('%d', seq))
else
  redis.call('HSET', KEYS[1], 'token', ARGV[2], 'seq', string.format('%d', seq), 'clocks', ARGV[4], 'clocks_at', now)
end
if ARGV[5] == '1' then redis.call('DEL', KEYS[3]) end
for index = first_private, first_private + private_count - 1 do redis.call('RPUSH', KEYS[3], ARGV[index]) end
if ARGV[6] == '1' then redis.call('DEL', KEYS[5]) end
if ARGV[7] ~= '' then redis.call('HSET', KEYS[4], ARGV[7], ARGV[8], ARGV[9], ARGV[10]) end
return 'stored'
