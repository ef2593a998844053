-- Reads the sessions of a user together with the server's time; an expired one may be among them.
--
-- KEYS[1]  sessions of the user: hash, session id -> record (src/domain/session-record.ts)
-- Returns  { now in milliseconds since 1970, session id, record, session id, record ... }

local time = redis.call('TIME')
local reply = { time[1] * 1000 + math.floor(time[2] / 1000) }
for _, text in ipairs(redis.call('HGETALL', KEYS[1])) do
  reply[#reply + 1] = text
end
return reply
