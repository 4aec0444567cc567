-- Reads backwards: the entries of an account, or of a table where the account is empty, each of which names the one
-- before it. It changes nothing.
-- ARGV: number to begin at, account or '', most entries
-- Answers: {number of the next one, 0 at the end, then number, body, hash of each entry}. The next one is not read
-- where the journal no longer has it, or there were enough.

local account = ARGV[2]

local function before(body)
  local is_readable, fields = pcall(cjson.decode, body)
  if not is_readable or type(fields) ~= 'table' then
    return 0
  end
  if account == '' then
    return tonumber(fields.prior) or 0
  end
  return type(fields.before) == 'table' and tonumber(fields.before[account]) or 0
end

local function walk()
  local number, most = whole(ARGV[1]), whole(ARGV[3])
  local answer = { '' }
  while number > 0 and #answer <= 3 * (most - 1) + 1 do
    local id = digits(number) .. '-0'
    local found = redis.call('XRANGE', keys.journal, id, id)
    if not found[1] then
      break
    end
    local fields = {}
    for index = 1, #found[1][2], 2 do
      fields[found[1][2][index]] = found[1][2][index + 1]
    end
    local body = fields.body or ''
    answer[#answer + 1] = digits(number)
    answer[#answer + 1] = body
    answer[#answer + 1] = fields.hash or ''
    local next_number = before(body)
    number = next_number < number and next_number or 0
  end
  answer[1] = digits(number)
  return answer
end

return walk()
