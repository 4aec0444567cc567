-- Takes all players of a table from the front of a room's queue, or none, and records the match.
-- ARGV: room, match, room as JSON, lease in ms, then one seat for each player, the oldest ticket's first.
-- Returns the match as a flat hash, or {} when too few wait.
local room, match, room_json, lease_ms = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
local count = #ARGV - 4
local tickets = redis.call('ZRANGE', queue_key(room), 0, count - 1)
if #tickets < count then return {} end

local now = now_ms()
local waited = 0
redis.call('ZREM', queue_key(room), unpack(tickets))
for i, ticket in ipairs(tickets) do
  local seat = ARGV[4 + i]
  local row = redis.call('HMGET', ticket_key(ticket), 'player', 'joined_ms')
  waited = waited + math.max(0, now - tonumber(row[2]))
  redis.call('HSET', ticket_key(ticket), 'state', 'matched', 'match', match, 'seat', seat)
  redis.call('HSET', match_key(match), 'seat:' .. seat, ticket .. ' ' .. row[1])
end
redis.call('HSET', match_key(match), 'stage', 'taken', 'room', room, 'room_json', room_json, 'count', count,
  'owner_seat', ARGV[5], 'taken_ms', now, 'generation', 1, 'pod', '')
redis.call('ZADD', matches_key, now + lease_ms, match)

local smoothed = tonumber(redis.call('HGET', tag .. ':waits', room) or waited / count)
redis.call('HSET', tag .. ':waits', room, math.floor(0.8 * smoothed + 0.2 * waited / count))
tell_tickets(tickets)
return redis.call('HGETALL', match_key(match))
