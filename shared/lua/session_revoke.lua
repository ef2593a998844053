-- Appends one entry to the log of revoked sessions and drops the entries that no token can outlive.
--
-- KEYS[1]  the log: stream (src/sessions/revocation-log.ts)
-- ARGV[1]  how long the entry matters, in milliseconds
-- ARGV[2]  ids of the sessions, with spaces between them
-- Returns  id of the entry. Sent again it appends the same again, which changes nothing for a reader.

local key, keep = KEYS[1], tonumber(ARGV[1])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

-- A first write that needs no memory, without which a server out of memory would refuse the rest: a full store goes on
-- ending sessions.
redis.call('XDEL', key, '0-1')

-- Each by its own time: while the life of tokens is being changed, nodes write entries of different lives.
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
