-- How long the ticket in front of a room's queue has waited, and how many wait. ARGV: room.
-- Returns {milliseconds, tickets}; -1 for the wait of a player whom a table has sent back: he has had it.
local count = redis.call('ZCARD', queue_key(ARGV[1]))
local front = redis.call('ZRANGE', queue_key(ARGV[1]), 0, 0)
if #front == 0 then return { 0, 0 } end
local row = redis.call('HMGET', ticket_key(front[1]), 'joined_ms', 'requeued')
if row[2] then return { -1, count } end
return { math.max(0, now_ms() - tonumber(row[1])), count }
