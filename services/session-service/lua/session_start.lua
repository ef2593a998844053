-- Starts a session; drops the user's dead ones and evicts the least recently used beyond the limit.
--
-- KEYS[1]  sessions of the user: hash, session id -> record (src/domain/session-record.ts)
-- ARGV[1]  id of the new session
-- ARGV[2]  id of a session to end in the same step, or empty
-- ARGV[3]  longest time without a refresh, in milliseconds
-- ARGV[4]  longest life, in milliseconds
-- ARGV[5]  sessions a user may have
-- ARGV[6]  user agent, cleaned
-- Returns  { start, absolute expiry, id of an evicted session ... }, times in milliseconds since 1970.
--          Sent again it finds the session, leaves it, and returns its times.

local key, sid, end_sid, limit = KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[5])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local started = now
local absolute = now + tonumber(ARGV[4])
local latest = math.min(now + tonumber(ARGV[3]), absolute)
local known = false
local dead, others = {}, {}

local fields = redis.call('HGETALL', key)
for i = 1, #fields, 2 do
  local id = fields[i]
  local expires, used, created, ends = fields[i + 1]:match('^(%d+) (%d+) (%d+) (%d+) ')
  expires = tonumber(expires)
  if expires <= now or (id == end_sid and id ~= sid) then
    dead[#dead + 1] = id
  elseif id == sid then
    known, started, absolute, latest = true, tonumber(created), tonumber(ends), expires
  else
    others[#others + 1] = { id = id, used = tonumber(used), expires = expires }
  end
end

-- The new record comes first: a server out of memory refuses it, and then nothing has been deleted.
if not known then
  local record = '%.0f %.0f %.0f %.0f 0 1 0 - '
  redis.call('HSET', key, sid, string.format(record, latest, now, now, absolute) .. ARGV[6])
end
for _, id in ipairs(dead) do
  if id ~= sid then redis.call('HDEL', key, id) end
end

table.sort(others, function(a, b)
  if a.used ~= b.used then return a.used < b.used end
  return a.id < b.id
end)
local reply = { started, absolute }
for i, other in ipairs(others) do
  if i <= #others + 1 - limit then
    redis.call('HDEL', key, other.id)
    reply[#reply + 1] = other.id
  else
    latest = math.max(latest, other.expires)
  end
end

redis.call('PEXPIREAT', key, string.format('%.0f', latest))
return reply
