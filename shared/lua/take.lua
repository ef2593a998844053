-- Spends a challenge: marks a live record spent by a claim and returns it. The same claim gets it again.
--
-- KEYS[1] the record
-- ARGV[1] the claim, without spaces
--
-- Returns { the record's line, time of the first take in milliseconds as text }, nothing ({}) when another claim
-- spent it, or nil when there is no such record. The mark lives as long as the record would have.

local line = redis.call('GET', KEYS[1])
if not line then
  return nil
end

if string.sub(line, 1, 1) == '!' then
  local claim, at, record = string.match(line, '^!(%S+) (%d+) (.*)$')
  if claim == ARGV[1] then
    return { record, at }
  end
  return {}
end

local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
redis.call('SET', KEYS[1], '!' .. ARGV[1] .. ' ' .. now .. ' ' .. line, 'KEEPTTL')
return { line, now }
