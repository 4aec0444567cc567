-- A table with a seat taken. ARGV: table. Returns {} or {room, room as JSON, pod, authority}.
local row = redis.call('HMGET', match_key(ARGV[1]), 'stage', 'room', 'room_json', 'pod', 'authority')
if row[1] ~= 'seated' then return {} end
return { row[2], row[3], row[4], row[5] }
