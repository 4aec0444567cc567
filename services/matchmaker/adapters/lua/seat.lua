-- A player's seat. ARGV: player. Returns {} or {table, seat, room, pod, authority}.
local ticket = redis.call('GET', player_key(ARGV[1]))
if not ticket then return {} end
local held = redis.call('HMGET', ticket_key(ticket), 'state', 'match', 'seat', 'room')
if held[1] ~= 'seated' then return {} end
local match = redis.call('HMGET', match_key(held[2]), 'pod', 'authority')
return { held[2], held[3], held[4], match[1], match[2] }
