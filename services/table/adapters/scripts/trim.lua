-- A finished table's log is kept elsewhere: nothing of it stays here.
-- KEYS: meta, log, answers
if not redis.call('HGET', KEYS[1], 'finished') then return 0 end
redis.call('DEL', KEYS[1], KEYS[2], KEYS[3])
return 1
