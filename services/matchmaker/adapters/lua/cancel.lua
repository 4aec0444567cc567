-- Takes a waiting ticket out of its queue; the ticket is remembered for a while, so that a repeat is answered alike.
-- ARGV: ticket, player, memory in ms. Returns CANCELLED, UNKNOWN (also another's) or MATCHED.
local ticket, player, memory_ms = ARGV[1], ARGV[2], ARGV[3]
local row = redis.call('HMGET', ticket_key(ticket), 'state', 'player', 'room')
local state, owner, room = row[1], row[2], row[3]
if not state or owner ~= player then return 'UNKNOWN' end
if state == 'cancelled' then return 'CANCELLED' end
if state ~= 'waiting' then return 'MATCHED' end
redis.call('ZREM', queue_key(room), ticket)
redis.call('HSET', ticket_key(ticket), 'state', 'cancelled')
redis.call('PEXPIRE', ticket_key(ticket), memory_ms)
redis.call('DEL', player_key(player))
tell_tickets({ ticket })
return 'CANCELLED'
