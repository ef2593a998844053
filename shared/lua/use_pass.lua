-- Uses a pass: compares it with the stored hash, and counts the use unless the pass is used up.
--
-- KEYS[1] the passes: hash of name → `hash application uses-per-window expiry`, the expiry in milliseconds
-- KEYS[2] uses of this pass in its window
-- KEYS[3] exists if this request was counted
-- ARGV[1] name of the pass
-- ARGV[2] SHA-256 of what was presented, hexadecimal
-- ARGV[3] the application that it was presented to
-- ARGV[4] the window, milliseconds
-- ARGV[5] how long a request that was counted is remembered, milliseconds
--
-- Returns { passed, exhausted, expired, other_application, wrong or unknown, milliseconds until it can be used again }

local found = redis.call('HGET', KEYS[1], ARGV[1])
if not found then
  return { 'unknown', 0 }
end
local hash, application, most, expires = string.match(found, '^(%x+) (%S+) (%d+) (%d+)$')
-- Lua keeps each text once and compares addresses, so the time does not depend on where two hashes differ.
if hash ~= ARGV[2] then
  return { 'wrong', 0 }
end
local time = redis.call('TIME')
if tonumber(expires) <= time[1] * 1000 + math.floor(time[2] / 1000) then
  return { 'expired', 0 }
end
if application ~= ARGV[3] then
  return { 'other_application', 0 }
end
if redis.call('EXISTS', KEYS[3]) == 1 then
  return { 'passed', 0 }
end

local left = redis.call('PTTL', KEYS[2])
if tonumber(redis.call('GET', KEYS[2]) or 0) >= tonumber(most) then
  return { 'exhausted', math.max(left, 1) }
end
-- Redis without free memory runs a script only if its first write needs none. On a missing key it does nothing.
redis.call('PEXPIRE', KEYS[2], math.max(left, 1))
redis.call('INCR', KEYS[2])
if left < 0 then
  redis.call('PEXPIRE', KEYS[2], ARGV[4])
end
redis.call('SET', KEYS[3], '1', 'PX', ARGV[5])
return { 'passed', 0 }
