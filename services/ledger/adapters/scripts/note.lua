-- Notes where the archive ends, unless an operator has decided about it since the last note was read.
-- ARGV: number that was noted, number that is noted from now on, where the archive was found cut or ''
-- Answers: {OK | MOVED}

local function note()
  local noted = redis.call('HGET', keys.head, 'archived')
  if (whole(noted) and noted or '0') ~= ARGV[1] then
    return { 'MOVED' }
  end
  redis.call('HSET', keys.head, 'archived', ARGV[2])
  if ARGV[3] == '' then
    redis.call('HDEL', keys.head, 'cut_to')
  else
    redis.call('HSET', keys.head, 'cut_to', ARGV[3])
  end
  return { 'OK' }
end

return opened(note)
