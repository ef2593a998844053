-- Keeps a new pass, and drops those that have expired.
--
-- KEYS[1] the passes: hash of name → `hash application uses-per-window expiry`, the expiry in milliseconds
-- ARGV[1] name of the pass
-- ARGV[2] its SHA-256, hexadecimal
-- ARGV[3] its application
-- ARGV[4] its uses per window
-- ARGV[5] its lifetime, milliseconds
--
-- Returns when it expires, milliseconds since 1970; nil if a live pass has this name

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local last = now + tonumber(ARGV[5])

local passes = redis.call('HGETALL', KEYS[1])
for at = 1, #passes, 2 do
  local expires = tonumber(string.match(passes[at + 1], '(%d+)$'))
  if expires <= now then
    redis.call('HDEL', KEYS[1], passes[at])
  elseif passes[at] == ARGV[1] then
    return false
  else
    last = math.max(last, expires)
  end
end

local expires = string.format('%.0f', now + tonumber(ARGV[5]))
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2] .. ' ' .. ARGV[3] .. ' ' .. ARGV[4] .. ' ' .. expires)
redis.call('PEXPIREAT', KEYS[1], string.format('%.0f', last))
return tonumber(expires)
