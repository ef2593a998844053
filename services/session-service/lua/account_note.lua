-- Keeps an event of an account.
--
-- KEYS[1]  list of events, the newest first (src/domain/account-event.ts)
-- ARGV[1]  how long an event is kept, in milliseconds, above 0
-- ARGV[2]  events that are kept at most
-- ARGV[3]  the event without its time
-- ARGV[4]  id of this call, at the end of the event: a repeated call finds it among the newest and keeps nothing twice
-- ARGV[5]  1 if the event replaces the newest one when that is the same
-- Returns  nothing

local key, keep, most = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

for _, line in ipairs(redis.call('LRANGE', key, 0, 9)) do
  if line:match('%S+$') == ARGV[4] then return end
end
local newest = redis.call('LINDEX', key, 0)
if ARGV[5] == '1' and newest and newest:match('^%d+ (.*) %S+$') == ARGV[3] then redis.call('LPOP', key) end
redis.call('LPUSH', key, string.format('%.0f %s %s', now, ARGV[3], ARGV[4]))
redis.call('LTRIM', key, 0, most - 1)
while tonumber(redis.call('LINDEX', key, -1):match('^%d+')) <= now - keep do redis.call('RPOP', key) end
redis.call('PEXPIRE', key, keep)
