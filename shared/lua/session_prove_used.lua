-- Records that a generation has reached its owner. Never creates a session, never lowers a recorded generation.
--
-- KEYS[1]  sessions of the user: hash, session id -> record (session-record.ts of the session service)
-- ARGV[1]  id of the session
-- ARGV[2]  generation that was used
-- Returns  1 if it raised the recorded generation, else 0

local key, sid, proven = KEYS[1], ARGV[1], tonumber(ARGV[2])

local text = redis.call('HGET', key, sid)
if not text then return 0 end
local before, used, after = text:match('^(%d+ %d+ %d+ %d+ %d+ %d+) (%d+) (.*)$')
if tonumber(used) >= proven then return 0 end
-- Redis without free memory runs a script only if its first write needs none.
redis.call('HDEL', key, '')
redis.call('HSET', key, sid, string.format('%s %.0f %s', before, proven, after))
return 1
