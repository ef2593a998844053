-- Starts a session; removes the user's expired ones and evicts the least recently used beyond the limit.
--
-- KEYS[1]  sessions of the user: hash, session id -> record (src/domain/session-record.ts)
-- KEYS[2]  how the user's sessions ended: list, the newest first (src/domain/session-end.ts)
-- ARGV[1]  id of the new session
-- ARGV[2]  id of a session to end in the same step, or empty
-- ARGV[3]  longest time without a refresh, in milliseconds
-- ARGV[4]  longest life, in milliseconds
-- ARGV[5]  sessions a user may have
-- ARGV[6]  user agent, cleaned; after a tab the attributes, if there are any
-- ARGV[7]  how long the note of an end is kept, in milliseconds; 0 keeps none
-- ARGV[8]  notes that are kept at most
-- ARGV[9]  pseudonym of the client's address, or -
-- ARGV[10] thumbprint of the key that the session is bound to, or empty
-- ARGV[11] the key in its compact form, or empty
-- Returns  { start, absolute expiry, 1 when the session to end was alive or else 0, id of an evicted session ... },
--          times in milliseconds since 1970. Sent again it finds the session, leaves it, and returns its times.

local key, sid, end_sid, limit = KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[5])
local notes, keep, most, address = KEYS[2], tonumber(ARGV[7]), tonumber(ARGV[8]), ARGV[9]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function note(sid, at, text)
  if at <= now - keep then return end
  redis.call('LPUSH', notes, string.format('%.0f %s %s', at, sid, text))
  redis.call('LTRIM', notes, 0, most - 1)
  while tonumber(redis.call('LINDEX', notes, -1):match('^%d+')) <= now - keep do redis.call('RPOP', notes) end
  redis.call('PEXPIRE', notes, keep)
end

local started = now
local absolute = now + tonumber(ARGV[4])
local latest = math.min(now + tonumber(ARGV[3]), absolute)
local known, replaced = false, 0
local dead, others = {}, {}

local fields = redis.call('HGETALL', key)
for i = 1, #fields, 2 do
  local id = fields[i]
  local expires, used, created, ends = fields[i + 1]:match('^(%d+) (%d+) (%d+) (%d+) ')
  expires = tonumber(expires)
  if expires <= now then
    dead[#dead + 1] = { id = id, at = expires, text = expires == tonumber(ends) and 'max_age -' or 'expired -' }
  elseif id == end_sid and id ~= sid then
    replaced = 1
    dead[#dead + 1] = { id = id, at = now, text = 'login ' .. address }
  elseif id == sid then
    known, started, absolute, latest = true, tonumber(created), tonumber(ends), expires
  else
    others[#others + 1] = { id = id, used = tonumber(used), expires = expires }
  end
end

-- A server out of memory rejects a user's first session before anything is deleted. A user who has sessions can still
-- sign in: after a first write that needs no memory, the server does not reject the rest.
if #fields > 0 then redis.call('HDEL', key, '') end
if not known then
  local record = string.format('%.0f %.0f %.0f %.0f 0 1 0 - ', latest, now, now, absolute) .. ARGV[6]
  if ARGV[10] ~= '' then
    local separator = ARGV[6]:find('\t') and ' ' or '\t'
    local binding = 'binding=key binding_id=%s binding_key=%s bound_at=%.0f'
    record = record .. separator .. string.format(binding, ARGV[10], ARGV[11], now)
  end
  redis.call('HSET', key, sid, record)
end
for _, gone in ipairs(dead) do
  if gone.id ~= sid then
    redis.call('HDEL', key, gone.id)
    note(gone.id, gone.at, gone.text)
  end
end

table.sort(others, function(a, b)
  if a.used ~= b.used then return a.used < b.used end
  return a.id < b.id
end)
local reply = { started, absolute, replaced }
for i, other in ipairs(others) do
  if i <= #others + 1 - limit then
    redis.call('HDEL', key, other.id)
    note(other.id, now, 'evicted ' .. address)
    reply[#reply + 1] = other.id
  else
    latest = math.max(latest, other.expires)
  end
end

redis.call('PEXPIREAT', key, string.format('%.0f', latest))
return reply
