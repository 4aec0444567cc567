-- A player's seat. ARGV: player, 1 to begin the next generation of its tokens else 0.
-- Returns {} or {table, seat, room, pod, authority, generation}.
local ticket = redis.call('GET', player_key(ARGV[1]))
if not ticket then return {} end
local held = redis.call('HMGET', ticket_key(ticket), 'state', 'match', 'seat', 'room')
if held[1] ~= 'seated' then return {} end
if ARGV[2] == '1' then redis.call('HINCRBY', ticket_key(ticket), 'generation', 1) end
local match = redis.call('HMGET', match_key(held[2]), 'pod', 'authority')
local generation = redis.call('HGET', ticket_key(ticket), 'generation') or '0'
return { held[2], held[3], held[4], match[1], match[2], generation }
