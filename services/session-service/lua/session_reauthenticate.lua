-- Replaces how and when the user of a session was authenticated.
--
-- KEYS[1]  sessions of the user: hash, session id -> record (src/domain/session-record.ts)
-- ARGV[1]  id of the session
-- ARGV[2]  authentication methods, separated by commas; may be empty
-- ARGV[3]  time of the authentication in milliseconds since 1970, `now`, or empty if it is not known
-- Returns  { now, start, absolute expiry, attributes }, times in milliseconds since 1970, start and expiry as text;
--          nil if the session is not alive

local key, sid, methods, at = KEYS[1], ARGV[1], ARGV[2], ARGV[3]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if at == 'now' then at = string.format('%.0f', now) end

local record, text = (redis.call('HGET', key, sid) or ''):match('^([^\t]*)\t?(.*)$')
local expires, created, absolute = record:match('^(%d+) %d+ (%d+) (%d+) ')
if not expires or tonumber(expires) <= now then return nil end

local attributes = {}
for name, value in text:gmatch('([%w_]+)=(%S*)') do
  if name ~= 'amr' and name ~= 'auth_time' then attributes[#attributes + 1] = name .. '=' .. value end
end
attributes[#attributes + 1] = 'amr=' .. methods
attributes[#attributes + 1] = 'auth_time=' .. at
text = table.concat(attributes, ' ')
-- A server out of memory runs a script only if its first write needs none.
redis.call('HDEL', key, '')
redis.call('HSET', key, sid, record .. '\t' .. text)
return { now, created, absolute, text }
