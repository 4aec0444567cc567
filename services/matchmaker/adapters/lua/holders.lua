-- Who was seated at a table. ARGV: table. Returns {} or {epoch, player, ...}; not all of them may sit there still.
local row = redis.call('HMGET', match_key(ARGV[1]), 'stage', 'epoch')
if row[1] ~= 'seated' then return {} end
local answer = { row[2] }
for _, seat in ipairs(seats_of(ARGV[1])) do answer[#answer + 1] = seat.player end
return answer
