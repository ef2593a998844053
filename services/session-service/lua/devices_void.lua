-- Voids the device cookies of a user that were issued until now.
--
-- KEYS[1]  the latest void: time in milliseconds, the session whose device stays known or -, and until when an earlier
--          void has voided that device too (src/domain/device-claims.ts)
-- ARGV[1]  id of that session, or -
-- ARGV[2]  how long the void is kept, in milliseconds: longer than any device cookie lives
-- Returns  nothing

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local before = ARGV[1] ~= '-' and redis.call('GET', KEYS[1])
local voided = ''
if before then
  local earlier, sid, kept = before:match('^(%d+) (%S+) ?(%d*)$')
  voided = sid == ARGV[1] and kept or earlier
end

-- A server without free memory runs a script only if its first write needs none.
redis.call('DEL', KEYS[1])
local text = string.format('%.0f %s', now, ARGV[1])
if voided ~= '' then text = text .. ' ' .. voided end
redis.call('SET', KEYS[1], text, 'PX', ARGV[2])
