-- Gives the balances of a deal free again. Again, or for a deal never reserved, it frees nobody; a deal that was not
-- reserved is noted as released, so that it will not be either.
-- ARGV: table, epoch, deal or '' for whichever the table holds, kept_ms, at_ms, actor, why
-- Answers: {OK, accounts freed...} {FENCED, epoch} {INVALID, what}

local table_id, deal = ARGV[1], ARGV[3]

local function release()
  local epoch = whole(ARGV[2])
  if not epoch or epoch == 0 or not whole(ARGV[5]) or not ARGV[7] then
    return { 'INVALID', 'request' }
  end
  local record = redis.call('HMGET', keys.record, 'epoch', 'deal', 'accounts', 'released', 'entry')
  if epoch < tonumber(record[1] or '0') then
    return { 'FENCED', record[1] }
  end
  if deal == '' then
    deal = record[2] or ''
  end
  if deal == '' or (is_among(record[4], deal) and record[2] ~= deal) then
    redis.call('HSET', keys.record, 'epoch', ARGV[2])
    keep_record((record[2] or '') ~= '', ARGV[4])
    return { 'OK' }
  end
  local held = record[2] or ''
  local is_held = held == '' or held == deal
  local freed = {}
  for account in string.gmatch(is_held and record[3] or '', '[^ ]+') do
    if redis.call('HGET', keys.lock, account) == table_id then
      freed[#freed + 1] = account
    end
  end
  local number = append({
    kind = 'release', at_ms = ARGV[5], actor = ARGV[6], why = ARGV[7], table = table_id, epoch = ARGV[2], deal = deal,
    prior = record[5] or '0', accounts = freed,
  }, {})
  redis.call('HSET', keys.record, 'epoch', ARGV[2], 'released', with_released(record[4], deal), 'entry',
    digits(number))
  if is_held then
    redis.call('HSET', keys.record, 'deal', '', 'accounts', '')
  end
  if #freed > 0 then
    redis.call('HDEL', keys.lock, unpack(freed))
  end
  keep_record(not is_held, ARGV[4])
  return { 'OK', unpack(freed) }
end

return opened(release)
