-- Returns the failures of an account, and how long its pair with an address has to wait.
--
-- KEYS[1]  failures of the account: claims scored by their time in milliseconds
-- KEYS[2]  optional: failures of the pair, in the same form
-- ARGV[1]  how long a failure is kept, milliseconds
-- ARGV[2]  failures from which a pair waits
-- ARGV[3]  most failures that are reported
-- ARGV[4]  the claim of an attempt that does not count, or an empty text
-- ARGV[5…] the waits after that many failures, one more, …, milliseconds; the last applies to all that follow
--
-- Returns { failures, milliseconds to wait }

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local remembered = redis.call('ZCOUNT', KEYS[1], string.format('(%.0f', now - ARGV[1]), '+inf')
if ARGV[4] ~= '' then
  local at = redis.call('ZSCORE', KEYS[1], ARGV[4])
  if at and tonumber(at) > now - ARGV[1] then
    remembered = remembered - 1
  end
end
local failures = math.min(remembered, tonumber(ARGV[3]))
local wait = 0
if KEYS[2] then
  local counted = redis.call('ZCARD', KEYS[2])
  local first = tonumber(ARGV[2])
  if counted >= first then
    local step = math.min(counted - first, #ARGV - 5)
    local last = redis.call('ZRANGE', KEYS[2], -1, -1, 'WITHSCORES')
    wait = math.max(0, last[2] + ARGV[5 + step] - now)
  end
end
return { failures, wait }
