-- Issues a captcha: limits the address and its networks, and records the captcha.
--
-- KEYS[1]  the record
-- KEYS[2]  requests of the address in the limit's window
-- KEYS[3…] requests of its /56 and its /48 in the limit's window; none for an IPv4 address
-- ARGV[1]  most requests of the address in the limit's window
-- ARGV[2]  the limit's window, milliseconds
-- ARGV[3]  most requests of its /56
-- ARGV[4]  most requests of its /48
-- ARGV[5]  lifetime, seconds
-- ARGV[6]  the record from its second field on
--
-- Returns { 1, or 0 if over a limit, requests in the window, milliseconds left of it,
--           now in milliseconds, 0, lifetime in seconds }

local function count(key)
  local n = redis.call('INCR', key)
  if n == 1 then
    redis.call('PEXPIRE', key, ARGV[2])
    return n, tonumber(ARGV[2])
  end
  return n, redis.call('PTTL', key)
end

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local most = tonumber(ARGV[1])
local used, left = count(KEYS[2])
if used > most then
  return { 0, used, left, now, 0, 0 }
end
for i = 3, #KEYS do
  local shared, shared_left = count(KEYS[i])
  if shared > tonumber(ARGV[i]) then
    return { 0, most + 1, shared_left, now, 0, 0 }
  end
end

local seconds = tonumber(ARGV[5])
redis.call('SET', KEYS[1], string.format('%.0f %s', now, ARGV[6]), 'PX', seconds * 1000)
return { 1, used, left, now, 0, seconds }
