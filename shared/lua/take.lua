-- Spends a challenge: marks a live record spent by a claim and returns it. The same claim gets it again.
--
-- KEYS[1] the record
-- ARGV[1] the claim, without spaces
-- ARGV[2…] records that are left as they are: `answer`, or `verify:` and the name of a kind
--
-- Returns { the record's line, time of the first take in milliseconds as text }, nothing ({}) when another claim
-- spent it, or nil when there is no such record or it is left as it is. The mark lives as long as the record would have.

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

local judged, kind = string.match(line, '^%d+ (%S+) ([^%s+]+)')
for i = 2, #ARGV do
  if ARGV[i] == judged or (judged and ARGV[i] == judged .. ':' .. kind) then
    return nil
  end
end

local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
local left = math.max(redis.call('PTTL', KEYS[1]), 1)
-- A server out of memory refuses a script's first write if it may need memory. Deleting needs none, and what follows is
-- no first write: a full store goes on checking.
redis.call('DEL', KEYS[1])
redis.call('SET', KEYS[1], '!' .. ARGV[1] .. ' ' .. now .. ' ' .. line, 'PX', left)
return { line, now }
