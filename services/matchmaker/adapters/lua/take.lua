-- Takes all players of a table from the front of a room's queue, or none, and records the match. Robots have the seats
-- that are left over (PF-10).
-- ARGV: room, match, room as JSON, lease in ms, number of robots, robots..., then one seat for each player, the oldest
--       ticket's first, the robots' last.
-- Returns the match as a flat hash, or {} when too few wait, people for whom a robot is to sit, or a robot has got a seat
-- elsewhere meanwhile.
local room, match, room_json, lease_ms, robot_count = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])
local seats_from = 5 + robot_count
local count = #ARGV - seats_from
local people_count = count - robot_count
local tickets = redis.call('ZRANGE', queue_key(room), 0, people_count - 1)
if people_count < 1 or #tickets < people_count then return {} end
if robot_count > 0 and redis.call('ZCARD', queue_key(room)) > people_count then return {} end
for i = 1, robot_count do
  if redis.call('EXISTS', player_key(ARGV[5 + i])) == 1 then return {} end
end

local now = now_ms()
local waited, correlation = 0, ''
redis.call('ZREM', queue_key(room), unpack(tickets))
for i, ticket in ipairs(tickets) do
  local seat = ARGV[seats_from + i]
  local row = redis.call('HMGET', ticket_key(ticket), 'player', 'joined_ms', 'correlation')
  correlation = row[3] or correlation
  waited = waited + math.max(0, now - tonumber(row[2]))
  redis.call('HSET', ticket_key(ticket), 'state', 'matched', 'match', match, 'seat', seat)
  redis.call('HSET', match_key(match), 'seat:' .. seat, ticket .. ' ' .. row[1])
end
for i = 1, robot_count do
  local seat, player = ARGV[seats_from + people_count + i], ARGV[5 + i]
  local ticket = match .. '.' .. seat
  redis.call('HSET', ticket_key(ticket), 'player', player, 'room', room, 'order', 0, 'joined_ms', now,
    'state', 'matched', 'match', match, 'seat', seat)
  redis.call('SET', player_key(player), ticket)
  redis.call('ZREM', robots_key, player)
  redis.call('HSET', match_key(match), 'seat:' .. seat, ticket .. ' ' .. player)
end
redis.call('HSET', match_key(match), 'stage', 'taken', 'room', room, 'room_json', room_json, 'count', count,
  'owner_seat', ARGV[seats_from + 1], 'taken_ms', now, 'generation', 1, 'pod', '',
  'correlation', correlation)
redis.call('ZADD', matches_key, now + lease_ms, match)

local smoothed = tonumber(redis.call('HGET', tag .. ':waits', room) or waited / people_count)
redis.call('HSET', tag .. ':waits', room, math.floor(0.8 * smoothed + 0.2 * waited / people_count))
tell_tickets(tickets)
return redis.call('HGETALL', match_key(match))
