-- Counts a request in a window that begins with the first request.
--
-- KEYS[1] the counter
-- ARGV[1] the window, milliseconds
--
-- Returns { requests in the window, including this one, milliseconds left of it }

local left = redis.call('PTTL', KEYS[1])
-- Redis without free memory runs a script only if its first write needs none, so this lets a full store count logins.
-- On a missing key it does nothing.
redis.call('PEXPIRE', KEYS[1], math.max(left, 1))
local count = redis.call('INCR', KEYS[1])
if left < 0 then
  left = tonumber(ARGV[1])
  redis.call('PEXPIRE', KEYS[1], left)
end
return { count, left }
