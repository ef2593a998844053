-- Counts an attempt as a failure before its outcome is known, unless its pair of account and address has to wait.
--
-- KEYS[1]  failures of the account: claims scored by their time in milliseconds
-- KEYS[2]  optional: failures of the pair, in the same form
-- ARGV[1]  the claim of the attempt
-- ARGV[2]  how long a failure is kept, milliseconds
-- ARGV[3]  most failures that are reported, and kept besides open attempts
-- ARGV[4]  how long a pair keeps its last failure, milliseconds
-- ARGV[5]  failures from which a pair waits
-- ARGV[6]  with this many failures before it the attempt is rejected and not counted
-- ARGV[7]  how long an attempt may be open, milliseconds: until then it can be withdrawn and displaces no other
-- ARGV[8]  most entries, including open attempts
-- ARGV[9…] the waits after that many failures, one more, …, milliseconds; the last applies to all that follow
--
-- Returns { failures before this attempt, milliseconds to wait }; with a wait above zero nothing was counted.
-- A repetition with the same claim is not counted twice.

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local most = tonumber(ARGV[3])

local function trim(key)
  local open = redis.call('ZCOUNT', key, string.format('(%.0f', now - ARGV[7]), '+inf')
  redis.call('ZREMRANGEBYRANK', key, 0, -(math.min(most + open, tonumber(ARGV[8])) + 1))
end

redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now - ARGV[2]))
local repeated = redis.call('ZSCORE', KEYS[1], ARGV[1])
local before = math.min(redis.call('ZCARD', KEYS[1]) - (repeated and 1 or 0), most)
if not repeated and KEYS[2] then
  local counted = redis.call('ZCARD', KEYS[2])
  local first = tonumber(ARGV[5])
  if counted >= first then
    local step = math.min(counted - first, #ARGV - 9)
    local last = redis.call('ZRANGE', KEYS[2], -1, -1, 'WITHSCORES')
    local wait = last[2] + ARGV[9 + step] - now
    if wait > 0 then
      return { before, wait }
    end
  end
end

if not repeated and before >= tonumber(ARGV[6]) then
  return { before, 0 }
end

local score = string.format('%.0f', now)
redis.call('ZADD', KEYS[1], 'NX', score, ARGV[1])
trim(KEYS[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
if KEYS[2] then
  redis.call('ZADD', KEYS[2], 'NX', score, ARGV[1])
  trim(KEYS[2])
  redis.call('PEXPIRE', KEYS[2], ARGV[4])
end
return { before, 0 }
