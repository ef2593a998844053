-- Counts a request in a window that begins with the first and is not prolonged.
--
-- KEYS[1] the counter
-- ARGV[1] the window, milliseconds
--
-- Returns { requests in the window, this one included, milliseconds left of it }

local left = redis.call('PTTL', KEYS[1])
-- A first write that needs no memory, without which a server out of memory would refuse the rest: a full store goes on
-- counting log-ins. On a key that is not there it does nothing.
redis.call('PEXPIRE', KEYS[1], math.max(left, 1))
local count = redis.call('INCR', KEYS[1])
if left < 0 then
  left = tonumber(ARGV[1])
  redis.call('PEXPIRE', KEYS[1], left)
end
return { count, left }
