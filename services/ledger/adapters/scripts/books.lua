-- What every script of the books shares: the loader puts it in front of each of them.
-- Numbers of Lua are doubles, exact up to 2^53 - 1; everything larger is refused before it is read as a number.

local UNITS_MAX = 9007199254740991
local RING = 16
local ISSUANCE, PENALTIES, SYSTEM = 'issuance', 'penalties', 'system'
local quote = cjson.encode

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
  if not string.find(text, '^%-?%d+$') then
    error('a stored balance is not a whole number')
  end
  return tonumber(text)
end

local function is_system(account)
  return account == ISSUANCE or account == PENALTIES or account == SYSTEM
end

-- A leg as the journal holds it.
local function leg_text(leg)
  return '[' .. quote(leg.payer) .. ',' .. quote(leg.payee) .. ',' .. digits(leg.asked) .. ',' .. digits(leg.paid)
    .. ',' .. digits(leg.payer_after) .. ',' .. digits(leg.payee_after) .. ',' .. quote(leg.reason)
    .. ',' .. digits(leg.group) .. ']'
end

-- Appends one entry and moves the head. It is the first write of a script: if the store refuses it, nothing is
-- written. The hash of an entry covers the hash before it, so that no entry can be edited, dropped or moved alone.
local function append(head_key, journal_key, entry, legs)
  local head = redis.call('HMGET', head_key, 'number', 'hash')
  local number = tonumber(head[1] or '0') + 1
  local texts = {}
  for index, leg in ipairs(legs) do
    texts[index] = leg_text(leg)
  end
  local body = '{"number":' .. digits(number)
    .. ',"kind":' .. quote(entry.kind)
    .. ',"at_ms":' .. entry.at_ms
    .. ',"actor":' .. quote(entry.actor)
    .. ',"why":' .. quote(entry.why or '')
    .. ',"request":' .. quote(entry.request or '')
    .. ',"table":' .. quote(entry.table or '')
    .. ',"epoch":' .. (entry.epoch or '0')
    .. ',"seq":' .. (entry.seq or '0')
    .. ',"deal":' .. quote(entry.deal or '')
    .. ',"legs":[' .. table.concat(texts, ',') .. ']}'
  local hash = redis.sha1hex((head[2] or '') .. '\n' .. body)
  redis.call('XADD', journal_key, digits(number) .. '-0', 'body', body, 'hash', hash)
  redis.call('HSET', head_key, 'number', digits(number), 'hash', hash)
  return number
end

-- Brings money into being for an account: the journal entry and both balances. Returns number and balance after,
-- or nil where the supply would pass UNITS_MAX.
local function issue(keys, entry, account, amount, reason)
  local balances = redis.call('HMGET', keys.balance, ISSUANCE, account)
  local issuance, balance = stored(balances[1]) or 0, stored(balances[2]) or 0
  if amount > UNITS_MAX + issuance then
    return nil
  end
  local leg = {
    payer = ISSUANCE, payee = account, asked = amount, paid = amount, reason = reason, group = 0,
    payer_after = issuance - amount, payee_after = balance + amount,
  }
  local number = append(keys.head, keys.journal, entry, { leg })
  redis.call('HSET', keys.balance, ISSUANCE, digits(leg.payer_after), account, digits(leg.payee_after))
  return number, leg.payee_after
end

-- A table's record is kept while it holds a stake, and for a stated time after that.
local function keep_record(key, holds_stake, kept_ms)
  if holds_stake then
    redis.call('PERSIST', key)
  else
    redis.call('PEXPIRE', key, kept_ms)
  end
end

local function named_keys()
  return {
    balance = KEYS[1], lock = KEYS[2], frozen = KEYS[3], head = KEYS[4], journal = KEYS[5], record = KEYS[6],
  }
end
