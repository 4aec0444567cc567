-- Takes the next seq of a table without moving anything.
-- ARGV: table, epoch, seq, fingerprint, deal, at_ms, actor, why
-- Answers: {OK | DUP, result} {FENCED, epoch} {GAP | CONFLICT, last seq} {OLD, last seq, last entry} {INVALID, what}

local function void()
  local epoch, seq = whole(ARGV[2]), whole(ARGV[3])
  if not epoch or epoch == 0 or not seq or seq == 0 or not whole(ARGV[6]) or #ARGV ~= 8 then
    return { 'INVALID', 'request' }
  end
  local slot = digits(seq % RING)
  local record = read_sequence(slot)
  local answer = sequence_answer(record, epoch, seq, ARGV[4])
  if answer then
    return answer
  end
  local number, texts = append({
    kind = 'void', at_ms = ARGV[6], actor = ARGV[7], why = ARGV[8], table = ARGV[1], epoch = ARGV[2], seq = ARGV[3],
    deal = ARGV[5], prior = record[6] or '0',
  }, {})
  local result = result_text(number, texts)
  write_sequence(slot, ARGV[2], ARGV[3], ARGV[4], number, result)
  return { 'OK', result }
end

return opened(void)
