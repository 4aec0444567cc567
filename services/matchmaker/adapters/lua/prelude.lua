-- Put before every script of this folder. All keys share one tag, given as KEYS[1] ("{seats}"), hence one slot: the
-- names built here from ids found in the store are safe in a cluster.
--
--   <tag>:queue:<room>             sorted set  ticket -> order; the front has the lowest
--   <tag>:order                    counter     order of the next ticket at the end
--   <tag>:ticket:<ticket>          hash        player, room, order, joined_ms, state; match and seat count once it is
--                                              drawn; generation of the newest token for the seat; requeued
--                                              "1" once a table has sent its player back
--   <tag>:player:<player>          string      his one ticket that is not over (PF-11)
--   <tag>:request:<player>:<id>    string      "<ticket> <room>": what a join answered, for a while
--   <tag>:match:<match>            hash        stage, room, room_json, count, owner_seat, taken_ms, generation,
--                                              seat:<n> "<ticket> <player>", pod, authority, epoch, seated,
--                                              correlation (of the call that completed it)
--   <tag>:matches                  sorted set  match in the making -> end of its handler's lease
--   <tag>:tables:<room>            set         tables with a seat taken
--   <tag>:waits                    hash        room -> smoothed wait in milliseconds
--   <tag>:robots                   sorted set  robot without a seat -> when it may be given one, in milliseconds
--   <tag>:robot_count              counter     robots there have been
--   <tag>:news                     channel     "rooms" or "tickets <id> <id> ..."
local tag = KEYS[1]

local function queue_key(room) return tag .. ':queue:' .. room end
local function ticket_key(ticket) return tag .. ':ticket:' .. ticket end
local function player_key(player) return tag .. ':player:' .. player end
local function match_key(match) return tag .. ':match:' .. match end
local function tables_key(room) return tag .. ':tables:' .. room end
local matches_key = tag .. ':matches'

local robots_key = tag .. ':robots'

local function is_robot(player) return string.sub(player, 1, 6) == 'robot:' end

local function now_ms()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

local function tell_rooms() redis.call('PUBLISH', tag .. ':news', 'rooms') end

local function tell_tickets(tickets)
  if #tickets > 0 then redis.call('PUBLISH', tag .. ':news', 'tickets ' .. table.concat(tickets, ' ')) end
end

-- The seats of a match, in seat order: {ticket = , player = }.
local function seats_of(match)
  local seats = {}
  for seat = 0, tonumber(redis.call('HGET', match_key(match), 'count')) - 1 do
    local ticket, player = string.match(redis.call('HGET', match_key(match), 'seat:' .. seat), '^(%S+) (.+)$')
    seats[#seats + 1] = { ticket = ticket, player = player }
  end
  return seats
end

-- Whether the match is in the making and in the hands of the caller.
local function is_ours(match, generation)
  local row = redis.call('HMGET', match_key(match), 'stage', 'generation')
  return (row[1] == 'taken' or row[1] == 'asked') and row[2] == generation
end

-- A robot has no seat any more: it never queues, the next table that needs one may have it.
local function free_robot(ticket, player)
  redis.call('DEL', ticket_key(ticket), player_key(player))
  redis.call('ZADD', robots_key, now_ms(), player)
end

-- Ends a match that became no table: every ticket waits again where it was.
local function undo(match, memory_ms)
  local room = redis.call('HGET', match_key(match), 'room')
  local told = {}
  for _, seat in ipairs(seats_of(match)) do
    if is_robot(seat.player) then
      free_robot(seat.ticket, seat.player)
    else
      local order = redis.call('HGET', ticket_key(seat.ticket), 'order')
      redis.call('HSET', ticket_key(seat.ticket), 'state', 'waiting')
      redis.call('ZADD', queue_key(room), order, seat.ticket)
      told[#told + 1] = seat.ticket
    end
  end
  redis.call('HSET', match_key(match), 'stage', 'undone')
  redis.call('PEXPIRE', match_key(match), memory_ms)
  redis.call('ZREM', matches_key, match)
  tell_tickets(told)
  tell_rooms()
end
