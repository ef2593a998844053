-- Issues an image: limits the address, records the image.
--
-- KEYS[1] the record
-- KEYS[2] requests of the address in the limit's window
-- ARGV[1] most requests in the limit's window
-- ARGV[2] the limit's window, milliseconds
-- ARGV[3] lifetime, seconds
-- ARGV[4] the record's line from its second field on
--
-- Returns { 1 or 0 when over the limit, requests in the window, milliseconds left of it,
--           now in milliseconds, 0, lifetime in seconds }

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local used = redis.call('INCR', KEYS[2])
local left = tonumber(ARGV[2])
if used == 1 then
  redis.call('PEXPIRE', KEYS[2], left)
else
  left = redis.call('PTTL', KEYS[2])
end
if used > tonumber(ARGV[1]) then
  return { 0, used, left, now, 0, 0 }
end

local seconds = tonumber(ARGV[3])
redis.call('SET', KEYS[1], string.format('%.0f %s', now, ARGV[4]), 'PX', seconds * 1000)
return { 1, used, left, now, 0, seconds }
