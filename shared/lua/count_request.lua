-- Counts a request in a window that begins with the first and is not prolonged.
--
-- KEYS[1] the counter
-- ARGV[1] the window, milliseconds
--
-- Returns { requests in the window, this one included, milliseconds left of it }

local count = redis.call('INCR', KEYS[1])
if count == 1 then
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
  return { count, tonumber(ARGV[1]) }
end
return { count, redis.call('PTTL', KEYS[1]) }
