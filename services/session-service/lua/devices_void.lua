-- Voids the device cookies of a user that were issued until now.
--
-- KEYS[1]  the latest void: time in milliseconds, and the session whose device stays known or -
-- ARGV[1]  id of that session, or -
-- ARGV[2]  how long the void is kept, in milliseconds: longer than any device cookie lives
-- Returns  nothing

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

-- A server without free memory runs a script only if its first write needs none.
redis.call('DEL', KEYS[1])
redis.call('SET', KEYS[1], string.format('%.0f %s', now, ARGV[1]), 'PX', ARGV[2])
