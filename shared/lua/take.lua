-- Consumes a challenge: marks a live record as consumed by a claim and returns it. The same claim gets it again.
--
-- KEYS[1] the record
-- KEYS[2] optional, in the same slot: a receipt to record with the first take
-- ARGV[1] the claim, without spaces
-- ARGV[2…] with a receipt: its lifetime in milliseconds, and the receipt without its time, which is put before it;
--         else records that are not consumed: `answer`, or `verify:` and the name of a challenge type
--
-- Returns { record, time of the first take in milliseconds as text }, {} if another claim has consumed it, or nil if
-- there is no such record or it is exempt. The consumed record lives as long as the record would have.

local text = redis.call('GET', KEYS[1])
if not text then
  return nil
end

if string.sub(text, 1, 1) == '!' then
  local claim, at, record = string.match(text, '^!(%S+) (%d+) (.*)$')
  if claim == ARGV[1] then
    return { record, at }
  end
  return {}
end

if #KEYS == 1 and #ARGV > 1 then
  local verified_by, challenge_type = string.match(text, '^%d+ (%S+) ([^%s+]+)')
  for i = 2, #ARGV do
    if ARGV[i] == verified_by or (verified_by and ARGV[i] == verified_by .. ':' .. challenge_type) then
      return nil
    end
  end
end

local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
local left = math.max(redis.call('PTTL', KEYS[1]), 1)
-- Redis without free memory runs a script only if its first write needs none. Deleting needs none, so a full store
-- continues to verify challenges.
redis.call('DEL', KEYS[1])
redis.call('SET', KEYS[1], '!' .. ARGV[1] .. ' ' .. now .. ' ' .. text, 'PX', left)
if KEYS[2] then
  redis.call('SET', KEYS[2], now .. ' ' .. ARGV[3], 'PX', ARGV[2])
end
return { text, now }
