-- Ends every session of a user, or every one but the one named.
--
-- KEYS[1]  sessions of the user: hash, session id -> record (src/domain/session-record.ts)
-- ARGV[1]  id of the session that stays, or empty
-- Returns  { id of a session that was alive ... }

local key, kept = KEYS[1], ARGV[1]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local ended = {}
local fields = redis.call('HGETALL', key)
for i = 1, #fields, 2 do
  local sid, expires = fields[i], tonumber(fields[i + 1]:match('^%d+'))
  if sid == kept then
    redis.call('PEXPIREAT', key, string.format('%.0f', expires))
  else
    redis.call('HDEL', key, sid)
    if expires > now then ended[#ended + 1] = sid end
  end
end
return ended
