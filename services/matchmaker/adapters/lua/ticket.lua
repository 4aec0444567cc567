-- One ticket. ARGV: ticket.
-- Returns {} or {player, room, state, place from 1 (0: does not wait), queue length, smoothed wait in ms or ''}.
local ticket = ARGV[1]
local row = redis.call('HMGET', ticket_key(ticket), 'player', 'room', 'state')
if not row[3] then return {} end
local rank = redis.call('ZRANK', queue_key(row[2]), ticket)
return { row[1], row[2], row[3], rank and rank + 1 or 0, redis.call('ZCARD', queue_key(row[2])),
  redis.call('HGET', tag .. ':waits', row[2]) or '' }
