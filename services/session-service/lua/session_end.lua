-- Ends exactly these sessions of a user and notes why.
--
-- KEYS[1]    sessions of the user: hash, session id -> record (src/domain/session-record.ts)
-- KEYS[2]    how the user's sessions ended: list, the newest first (src/domain/session-end.ts)
-- ARGV[1]    how long such a note is kept, in milliseconds; 0 keeps none
-- ARGV[2]    notes that are kept at most
-- ARGV[3]    reason and pseudonym of the client's address, separated by a space
-- ARGV[...]  ids of the sessions
-- Returns    { id of a session that was alive ... }

local key, notes, keep, most, cause = KEYS[1], KEYS[2], tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function note(sid, at, text)
  if at <= now - keep then return end
  redis.call('LPUSH', notes, string.format('%.0f %s %s', at, sid, text))
  redis.call('LTRIM', notes, 0, most - 1)
  while tonumber(redis.call('LINDEX', notes, -1):match('^%d+')) <= now - keep do redis.call('RPOP', notes) end
  redis.call('PEXPIRE', notes, keep)
end

local ended = {}
for i = 4, #ARGV do
  local sid = ARGV[i]
  local expires, absolute = (redis.call('HGET', key, sid) or ''):match('^(%d+) %d+ %d+ (%d+)')
  if expires then
    redis.call('HDEL', key, sid)
    if tonumber(expires) > now then
      ended[#ended + 1] = sid
      note(sid, now, cause)
    else
      note(sid, tonumber(expires), expires == absolute and 'max_age -' or 'expired -')
    end
  end
end

local latest = 0
for _, record in ipairs(redis.call('HVALS', key)) do
  latest = math.max(latest, tonumber(record:match('^%d+')))
end
if latest > 0 then redis.call('PEXPIREAT', key, string.format('%.0f', latest)) end
return ended
