-- Issues a proof of work: limits the address, counts the request, prices the work, records it.
--
-- KEYS[1]  the record
-- KEYS[2]  requests of the address, for the price by volume
-- KEYS[3]  requests of the address in the limit's window
-- ARGV[1]  most requests in the limit's window
-- ARGV[2]  the limit's window, milliseconds
-- ARGV[3]  how long requests are counted for the price, milliseconds
-- ARGV[4]  difficulty before the volume is added, bits
-- ARGV[5]  highest difficulty, bits
-- ARGV[6]  bits added per ARGV[7] requests
-- ARGV[7]  requests per increment
-- ARGV[8]  configured lifetime, seconds
-- ARGV[9]  1 when the lifetime grows with the difficulty
-- ARGV[10] the record's line from its third field on
--
-- Returns { 1 or 0 when over the limit, requests in the window, milliseconds left of it,
--           now in milliseconds, difficulty in bits, lifetime in seconds }

local function count(key, window)
  local n = redis.call('INCR', key)
  if n == 1 then
    redis.call('PEXPIRE', key, window)
    return n, tonumber(window)
  end
  return n, redis.call('PTTL', key)
end

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local used, left = count(KEYS[3], ARGV[2])
if used > tonumber(ARGV[1]) then
  return { 0, used, left, now, 0, 0 }
end

local requests = count(KEYS[2], ARGV[3])
local volume = tonumber(ARGV[6]) * math.floor(requests / tonumber(ARGV[7]))
local difficulty = math.min(tonumber(ARGV[5]), tonumber(ARGV[4]) + volume)

-- 6.91 = ln 1000: all but one solve in a thousand end within that many times the expected work,
-- at the 500,000 hashes a second of a slow phone.
local seconds = tonumber(ARGV[8])
if ARGV[9] == '1' then
  seconds = math.max(seconds, math.ceil(6.91 * 2 ^ difficulty / 500000))
end

local line = string.format('%d %.0f %s', difficulty, now, ARGV[10])
redis.call('SET', KEYS[1], line, 'PX', seconds * 1000)
return { 1, used, left, now, difficulty, seconds }
