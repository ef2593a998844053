-- Reads what is known of one session of a user: its record while it is there, else the note of its end.
--
-- KEYS[1]  sessions of the user: hash, session id -> record (src/domain/session-record.ts)
-- KEYS[2]  how the user's sessions ended: list, the newest first (src/domain/session-end.ts)
-- ARGV[1]  id of the session
-- Returns  { now in milliseconds since 1970, record or empty, note or empty }

local sid = ARGV[1]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local record = redis.call('HGET', KEYS[1], sid)
if record then return { now, record, '' } end
for _, text in ipairs(redis.call('LRANGE', KEYS[2], 0, -1)) do
  if text:match('^%d+ (%S+)') == sid then return { now, '', text } end
end
return { now, '', '' }
