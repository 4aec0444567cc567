-- Puts a player at the end of a room's queue.
-- ARGV: player, room, request id, ticket id (empty: only look), memory of requests in ms, correlation id of the call.
-- Returns {outcome, ticket}; nothing is written unless the outcome is JOINED.
local player, room, request, ticket, memory_ms = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local request_key = tag .. ':request:' .. player .. ':' .. request

local known = redis.call('GET', request_key)
if known then
  local known_ticket, known_room = string.match(known, '^(%S+) (.+)$')
  if known_room ~= room then return { 'REQUEST_REUSED', known_ticket } end
  return { 'DUPLICATE', known_ticket }
end
local held = redis.call('GET', player_key(player))
if held then
  if redis.call('HGET', ticket_key(held), 'state') == 'seated' then return { 'SEATED', held } end
  return { 'QUEUED', held }
end
if ticket == '' then return { 'FREE', '' } end

local order = redis.call('INCR', tag .. ':order')
redis.call('HSET', ticket_key(ticket), 'player', player, 'room', room, 'order', order, 'joined_ms', now_ms(),
  'state', 'waiting', 'correlation', ARGV[6])
redis.call('SET', player_key(player), ticket)
redis.call('SET', request_key, ticket .. ' ' .. room, 'PX', memory_ms)
redis.call('ZADD', queue_key(room), order, ticket)
tell_rooms()
return { 'JOINED', ticket }
