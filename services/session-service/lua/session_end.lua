-- Ends exactly these sessions of a user.
--
-- KEYS[1]    sessions of the user: hash, session id -> record (src/domain/session-record.ts)
-- ARGV[...]  ids of the sessions
-- Returns    { id of a session that was alive ... }

local key = KEYS[1]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local ended = {}
for _, sid in ipairs(ARGV) do
  local text = redis.call('HGET', key, sid)
  if text then
    redis.call('HDEL', key, sid)
    if tonumber(text:match('^%d+')) > now then ended[#ended + 1] = sid end
  end
end

local latest = 0
for _, record in ipairs(redis.call('HVALS', key)) do
  latest = math.max(latest, tonumber(record:match('^%d+')))
end
if latest > 0 then redis.call('PEXPIREAT', key, string.format('%.0f', latest)) end
return ended
