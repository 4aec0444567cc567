-- What every script of the books shares: the loader puts it in front of each of them.
-- Numbers of Lua are doubles, exact up to 2^53 - 1; everything larger is refused before it is read as a number.

local UNITS_MAX = 9007199254740991
local RING = 16
local ISSUANCE, PENALTIES, SYSTEM = 'issuance', 'penalties', 'system'
local quote = cjson.encode

-- Number of the last entry the caller has seen: the first argument of every script, taken off here.
local SEEN = table.remove(ARGV, 1)

local keys = {
  balance = KEYS[1], lock = KEYS[2], frozen = KEYS[3], head = KEYS[4], journal = KEYS[5], last = KEYS[6],
  record = KEYS[7],
}

-- Where the journal ends; read by `opened`, moved by `append`.
local head = { number = 0, hash = '', wrong = false }

-- A whole number as decimal digits. tostring() would write 1e+15.
local function digits(number)
  return string.format('%.0f', number)
end

-- The number a text stands for: nil and 'INVALID' unless it is decimal digits, nil and 'LIMIT' above UNITS_MAX.
local function whole(text)
  if not text or not (text == '0' or string.find(text, '^[1-9]%d*$')) then
    return nil, 'INVALID'
  end
  local number = tonumber(text)
  if #text > 16 or number > UNITS_MAX then
    return nil, 'LIMIT'
  end
  return number
end

-- A balance as it is stored; false if there is none. Anything but a whole number stops the script, before any write.
local function stored(text)
  if not text then
    return false
  end
  local number = whole(string.match(text, '^%-?(%d+)$'))
  if not number then
    error('a stored balance is not a whole number')
  end
  return string.sub(text, 1, 1) == '-' and -number or number
end

-- The number of an earlier entry as it is stored, as text; '0' if there is none. Anything else stops the script.
local function earlier(text)
  local number = whole(text or '0')
  if not number or number > head.number then
    error('a stored entry number is not one of the journal')
  end
  return text or '0'
end

local function is_fund(account)
  return string.sub(account, 1, 5) == 'fund:'
end

local function is_system(account)
  return account == ISSUANCE or account == PENALTIES or account == SYSTEM or is_fund(account)
end

-- The account a party's name stands for.
local function account_of(name)
  return name == SYSTEM and PENALTIES or name
end

-- Runs a change on books that have not lost entries behind the caller's back: a store that took over from another one,
-- or was set back, ends before what the caller has seen, and nothing is written to it. Every answer ends with where
-- the journal ends now.
local function opened(change)
  local seen = whole(SEEN)
  local found = redis.call('HMGET', keys.head, 'number', 'hash', 'wrong')
  head.number, head.hash, head.wrong = tonumber(found[1] or '0'), found[2] or '', found[3]
  local answer
  if not seen then
    answer = { 'INVALID', 'seen' }
  elseif head.number < seen then
    answer = { 'BEHIND', digits(head.number) }
  else
    answer = change()
  end
  answer[#answer + 1] = digits(head.number)
  return answer
end

-- A leg as the journal holds it.
local function leg_text(leg)
  return '[' .. quote(leg.payer) .. ',' .. quote(leg.payee) .. ',' .. digits(leg.asked) .. ',' .. digits(leg.paid)
    .. ',' .. digits(leg.payer_after) .. ',' .. digits(leg.payee_after) .. ',' .. quote(leg.reason)
    .. ',' .. digits(leg.group) .. ']'
end

local function leg_texts(legs)
  local texts = {}
  for index, leg in ipairs(legs) do
    texts[index] = leg_text(leg)
  end
  return '[' .. table.concat(texts, ',') .. ']'
end

-- A result as it is remembered and answered again; `legs` as text.
local function result_text(number, legs)
  return '{"number":' .. digits(number) .. ',"legs":' .. legs .. '}'
end

-- Each of the legs' accounts once, in order of appearance: all of them, and those that pay.
local function accounts_of(legs)
  local all, payers, seen, pays = {}, {}, {}, {}
  for _, leg in ipairs(legs) do
    local payer, payee = account_of(leg.payer), account_of(leg.payee)
    if not pays[payer] then
      pays[payer] = true
      payers[#payers + 1] = payer
    end
    if not seen[payer] then
      seen[payer] = true
      all[#all + 1] = payer
    end
    if not seen[payee] then
      seen[payee] = true
      all[#all + 1] = payee
    end
  end
  return all, payers
end

-- The numbers of the accounts' entries before this one, as text; and what `last` is to hold after it.
local function before_text(accounts, number)
  local found = redis.call('HMGET', keys.last, unpack(accounts))
  local texts, lasts, text = {}, {}, digits(number)
  for index, account in ipairs(accounts) do
    texts[index] = quote(account) .. ':' .. earlier(found[index])
    lasts[2 * index - 1] = account
    lasts[2 * index] = text
  end
  return '{' .. table.concat(texts, ',') .. '}', lasts
end

local function list_text(values)
  local texts = {}
  for index, value in ipairs(values) do
    texts[index] = quote(value)
  end
  return '[' .. table.concat(texts, ',') .. ']'
end

-- Appends one entry and moves the head. It is the first write of a script: if the store refuses it, nothing is
-- written. The hash of an entry covers the hash before it, so that no entry can be edited, dropped or moved alone.
-- `prior` is the table's entry before this one, `before` each account's: so histories are read without an index.
-- `accounts` are the legs', each once. Returns the entry's number, and the legs as text.
local function append(entry, legs, accounts)
  local number, texts = head.number + 1, leg_texts(legs)
  local before, lasts
  if #legs > 0 then
    before, lasts = before_text(accounts, number)
  end
  local number_text = digits(number)
  local body = '{"number":' .. number_text
    .. ',"kind":' .. quote(entry.kind)
    .. ',"at_ms":' .. entry.at_ms
    .. ',"actor":' .. quote(entry.actor)
    .. ',"why":' .. quote(entry.why or '')
    .. ',"request":' .. quote(entry.request or '')
    .. ',"table":' .. quote(entry.table or '')
    .. ',"epoch":' .. (entry.epoch or '0')
    .. ',"seq":' .. (entry.seq or '0')
    .. ',"deal":' .. quote(entry.deal or '')
    .. (entry.prior and ',"prior":' .. earlier(entry.prior) or '')
    .. (entry.reverses and ',"reverses":' .. entry.reverses or '')
    .. (entry.accepts and ',"accepts":' .. entry.accepts .. ',"lost":' .. entry.lost or '')
    .. (entry.accounts and ',"accounts":' .. list_text(entry.accounts) or '')
    .. (entry.groups and ',"groups":' .. entry.groups or '')
    .. (before and ',"before":' .. before or '')
    .. ',"legs":' .. texts .. '}'
  local hash = redis.sha1hex(head.hash .. '\n' .. body)
  redis.call('XADD', keys.journal, number_text .. '-0', 'body', body, 'hash', hash)
  redis.call('HSET', keys.head, 'number', number_text, 'hash', hash)
  if lasts then
    redis.call('HSET', keys.last, unpack(lasts))
  end
  head.number, head.hash = number, hash
  return number, texts
end

local function move(leg, paid, balances)
  local payer, payee = account_of(leg.payer), account_of(leg.payee)
  leg.paid = paid
  balances[payer] = balances[payer] - paid
  balances[payee] = balances[payee] + paid
  leg.payer_after = balances[payer]
  leg.payee_after = balances[payee]
end

-- What an account can pay: what it has; issuance, what the supply may still grow by. A rebuild may find an account that
-- paid more than it ever had: it pays nothing.
local function available(account, balances)
  return math.max(account == ISSUANCE and UNITS_MAX + balances[ISSUANCE] or balances[account], 0)
end

-- Balances by account. Nil and an answer where one is not open; those in `may_lack` then have nothing.
local function read_balances(accounts, may_lack)
  local balances, found = {}, redis.call('HMGET', keys.balance, unpack(accounts))
  for index, account in ipairs(accounts) do
    local balance = stored(found[index])
    if not balance and not may_lack[account] then
      return nil, { 'NOACCT', account }
    end
    balances[account] = balance or 0
  end
  return balances
end

local function write_balances(balances)
  local written = {}
  for account, balance in pairs(balances) do
    written[#written + 1] = account
    written[#written + 1] = digits(balance)
  end
  redis.call('HSET', keys.balance, unpack(written))
end

-- The legs that give an account units out of issuance or a fund, moved but not written, and the balances after them.
-- A fund that is not there yet begins with its budget, out of issuance, in the same entry.
-- Nil and a status where the supply would pass UNITS_MAX (LIMIT) or the fund has not enough (BUDGET).
local function give(gift)
  local legs = { { payer = gift.source, payee = gift.account, asked = gift.amount, reason = gift.reason, group = 0 } }
  local fund = gift.fund
  if fund and gift.budget > 0 and redis.call('HEXISTS', keys.balance, fund) == 0 then
    table.insert(legs, 1, { payer = ISSUANCE, payee = fund, asked = gift.budget, reason = 'budget', group = 0 })
  end
  local accounts = accounts_of(legs)
  local may_lack = {}
  for _, account in ipairs(accounts) do
    may_lack[account] = true
  end
  local balances = read_balances(accounts, may_lack)
  for _, leg in ipairs(legs) do
    if leg.asked > available(leg.payer, balances) then
      return nil, leg.payer == ISSUANCE and 'LIMIT' or 'BUDGET'
    end
    move(leg, leg.asked, balances)
  end
  return legs, balances, accounts
end

-- The fund that a gift touches, if any; nil and false if the arguments do not fit together.
local function fund_of(source, account)
  if source == ISSUANCE then
    return is_fund(account) and account or nil, true
  end
  return source, is_fund(source) and not is_fund(account)
end

-- The first answer to a request id, if it came before. KEYS[7] then holds the request ids.
-- A repeat writes too: a barrier after it then covers the first one's write.
local function remembered(request, fingerprint)
  local first = redis.call('HGET', keys.record, request)
  if not first then
    return nil
  end
  local mark, result = string.match(first, '^(%S+) (.*)$')
  if mark ~= fingerprint then
    return { 'REUSED', request }
  end
  redis.call('HSET', keys.record, request, first)
  return { 'DUP', result }
end

local function remember(request, fingerprint, result)
  redis.call('HSET', keys.record, request, fingerprint .. ' ' .. result)
end

-- The answer where a seq of a table is not the next one, or its owner is stale; nil if it is. `record` holds epoch, seq,
-- deal, the fingerprint and the result in the seq's slot of the ring, and the table's last entry.
local function sequence_answer(record, epoch, seq, fingerprint)
  local owner, last = tonumber(record[1] or '0'), tonumber(record[2] or '0')
  if epoch < owner then
    return { 'FENCED', digits(owner) }
  end
  if seq > last + 1 then
    return { 'GAP', digits(last) }
  end
  if seq <= last - RING then
    return { 'OLD', digits(last), record[6] or '0' }
  end
  if seq <= last then
    if record[4] ~= fingerprint then
      return { 'CONFLICT', digits(last) }
    end
    -- A repeat writes too: a barrier after it then covers the first one's write.
    redis.call('HSET', keys.record, 'epoch', digits(epoch))
    return { 'DUP', record[5] }
  end
  return nil
end

local function read_sequence(slot)
  return redis.call('HMGET', keys.record, 'epoch', 'seq', 'deal', 'mark' .. slot, 'result' .. slot, 'entry')
end

local function write_sequence(slot, epoch, seq, fingerprint, number, result)
  redis.call('HSET', keys.record, 'epoch', epoch, 'seq', seq, 'entry', digits(number), 'mark' .. slot, fingerprint,
    'result' .. slot, result)
end

-- Whether a deal is among those whose stake was given back, and the list with it in front.
local function is_among(released, deal)
  return string.find(' ' .. (released or '') .. ' ', ' ' .. deal .. ' ', 1, true) ~= nil
end

local function with_released(released, deal)
  local deals = { deal }
  for each in string.gmatch(released or '', '[^ ]+') do
    if #deals < RING then
      deals[#deals + 1] = each
    end
  end
  return table.concat(deals, ' ')
end

-- A table's record is kept while it holds a stake, and for a stated time after that.
local function keep_record(holds_stake, kept_ms)
  if holds_stake then
    redis.call('PERSIST', keys.record)
  else
    redis.call('PEXPIRE', keys.record, kept_ms)
  end
end
