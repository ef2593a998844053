-- Appends an entry to the log of revoked sessions and removes entries whose tokens have all expired.
--
-- KEYS[1]  the log: stream (src/sessions/revocation-log.ts)
-- ARGV[1]  how long the entry matters, in milliseconds
-- ARGV[2]  ids of the sessions, with spaces between them
-- Returns  id of the entry. A repetition appends the same entry again, which is harmless.

local key, keep = KEYS[1], tonumber(ARGV[1])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

-- Redis without free memory runs a script only if its first write needs none, so this lets a full store end sessions.
redis.call('XDEL', key, '0-1')

-- Each entry has its own lifetime: nodes write different ones while the lifetime of tokens is being changed.
for _ = 1, 100 do
  local oldest = redis.call('XRANGE', key, '-', '+', 'COUNT', 1)[1]
  if not oldest then break end
  local written = tonumber(string.match(oldest[1], '^%d+'))
  if now - written <= tonumber(oldest[2][4]) then break end
  redis.call('XDEL', key, oldest[1])
end

local id = redis.call('XADD', key, '*', 'sids', ARGV[2], 'keep_ms', ARGV[1])
if redis.call('PTTL', key) < keep then redis.call('PEXPIRE', key, keep) end
return id
