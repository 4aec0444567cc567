-- Makes an epoch the only one that may settle for a table, and says where the table's settlements stand.
-- ARGV: table, epoch, kept_ms, the last seq the caller knows ('' where it does not ask)
-- Answers: {OK, last seq, last result or '', results of the seqs after the known one...} {FENCED, epoch}
--   {INVALID, what}

local function claim()
  local epoch = whole(ARGV[2])
  if not epoch or epoch == 0 then
    return { 'INVALID', 'request' }
  end
  local record = redis.call('HMGET', keys.record, 'epoch', 'seq', 'deal')
  if epoch < tonumber(record[1] or '0') then
    return { 'FENCED', record[1] }
  end
  local last = record[2] or '0'
  local result = redis.call('HGET', keys.record, 'result' .. digits(tonumber(last) % RING))
  redis.call('HSET', keys.record, 'epoch', ARGV[2])
  keep_record((record[3] or '') ~= '', ARGV[3])
  local answer = { 'OK', last, result or '' }
  local known = whole(ARGV[4])
  if known then
    for seq = math.max(known + 1, tonumber(last) - RING + 1), tonumber(last) do
      answer[#answer + 1] = redis.call('HGET', keys.record, 'result' .. digits(seq % RING))
    end
  end
  return answer
end

return opened(claim)
