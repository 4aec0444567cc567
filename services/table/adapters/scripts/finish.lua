-- Nobody owns the table any more; its log ends some day.
-- KEYS: meta, log, answers, requests...
-- ARGV: epoch, cause, milliseconds to keep (0: until it is archived)
if redis.call('HGET', KEYS[1], 'epoch') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'finished', ARGV[2])
if ARGV[3] ~= '0' then
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  redis.call('PEXPIRE', KEYS[2], ARGV[3])
end
for index = 3, #KEYS do redis.call('DEL', KEYS[index]) end
return 1
