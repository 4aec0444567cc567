-- The table exists: all players of the match are seated at once.
-- ARGV: match, generation, pod, authority, epoch. Returns 1, also on a repeat, or 0 when it is not the caller's.
local match, generation, pod, authority, epoch = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
if not is_ours(match, generation) then
  local row = redis.call('HMGET', match_key(match), 'stage', 'generation')
  return (row[1] == 'seated' and row[2] == generation) and 1 or 0
end
local told = {}
for _, seat in ipairs(seats_of(match)) do
  redis.call('HSET', ticket_key(seat.ticket), 'state', 'seated')
  told[#told + 1] = seat.ticket
end
redis.call('HSET', match_key(match), 'stage', 'seated', 'pod', pod, 'authority', authority, 'epoch', epoch,
  'seated', #told)
redis.call('ZREM', matches_key, match)
redis.call('SADD', tables_key(redis.call('HGET', match_key(match), 'room')), match)
tell_tickets(told)
return 1
