-- Redeems a proof of work: consumes its live record under a claim, as `take` does, and records a receipt. The same claim
-- gets the record again, and its receipt is left as it is. The service removes the receipt if the work turns out wrong.
--
-- KEYS[1] the record of the work
-- KEYS[2] the receipt, in the same slot
-- ARGV[1] the claim, without spaces
-- ARGV[2] lifetime of the receipt, milliseconds
-- ARGV[3] the receipt without its time, which is put before it
--
-- Returns { record, time of the first redemption in milliseconds as text }, {} if another claim has consumed the work, or
-- nil if there is no such record. The consumed record lives as long as the record would have.

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

local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
local left = math.max(redis.call('PTTL', KEYS[1]), 1)
-- A full Redis runs a script only if its first write needs no memory, as in `take`.
redis.call('DEL', KEYS[1])
redis.call('SET', KEYS[1], '!' .. ARGV[1] .. ' ' .. now .. ' ' .. text, 'PX', left)
redis.call('SET', KEYS[2], now .. ' ' .. ARGV[3], 'PX', ARGV[2])
return { text, now }
