-- A table lets players go. ARGV: table, epoch, 1 to put them in front of their queue else 0, memory in ms, players.
-- Returns {'FENCED'} when a newer owner has spoken, else {'OK', player, ...}: those who held a seat until now.
local match, epoch, requeue, memory_ms = ARGV[1], tonumber(ARGV[2]), ARGV[3] == '1', ARGV[4]
local row = redis.call('HMGET', match_key(match), 'stage', 'room', 'epoch')
local stage, room = row[1], row[2]
local answer = { 'OK' }
if not stage then return answer end
if row[3] and epoch < tonumber(row[3]) then return { 'FENCED' } end
redis.call('HSET', match_key(match), 'epoch', epoch)

local listed = {}
for i = 5, #ARGV do listed[ARGV[i]] = true end

-- The table was made and given up before any seat was shown: nobody is to blame, all wait again as they did.
if stage == 'taken' or stage == 'asked' then
  for _, seat in ipairs(seats_of(match)) do
    if listed[seat.player] then answer[#answer + 1] = seat.player end
  end
  undo(match, memory_ms)
  return answer
end
if stage ~= 'seated' then return answer end

local freed, told, seats_freed = {}, {}, 0
for i = 5, #ARGV do
  local ticket = redis.call('GET', player_key(ARGV[i]))
  if ticket and listed[ARGV[i]] then
    local held = redis.call('HMGET', ticket_key(ticket), 'match', 'state')
    if held[1] == match and held[2] == 'seated' then
      seats_freed = seats_freed + 1
      answer[#answer + 1] = ARGV[i]
      if is_robot(ARGV[i]) then
        free_robot(ticket, ARGV[i])
      else
        freed[#freed + 1] = { ticket = ticket, player = ARGV[i] }
        told[#told + 1] = ticket
      end
    end
  end
  listed[ARGV[i]] = nil
end

if requeue then
  local front = redis.call('ZRANGE', queue_key(room), 0, 0, 'WITHSCORES')
  local first = front[2] and tonumber(front[2]) or redis.call('INCR', tag .. ':order')
  for i, seat in ipairs(freed) do
    local order = first - #freed + i - 1
    redis.call('HSET', ticket_key(seat.ticket), 'state', 'waiting', 'order', order, 'joined_ms', now_ms(), 'requeued', 1)
    redis.call('ZADD', queue_key(room), order, seat.ticket)
  end
  if #freed > 0 then tell_rooms() end
else
  for _, seat in ipairs(freed) do redis.call('DEL', ticket_key(seat.ticket), player_key(seat.player)) end
end
tell_tickets(told)

if redis.call('HINCRBY', match_key(match), 'seated', -seats_freed) == 0 then
  redis.call('HSET', match_key(match), 'stage', 'over')
  redis.call('PEXPIRE', match_key(match), memory_ms)
  redis.call('SREM', tables_key(room), match)
end
return answer
