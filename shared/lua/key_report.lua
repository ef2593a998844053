-- Records which keys a node uses and since when, with which it makes tokens, and how long those live; removes silent nodes.
--
-- KEYS[1]    the record of keys: hash (src/keys/key-record.ts)
-- ARGV[1]    name of the node
-- ARGV[2]    its keys, or empty if it stops
-- ARGV[3]    how long the record is kept, in milliseconds
-- ARGV[4]    silence after which a node counts as gone, in milliseconds
-- ARGV[...]  fields set to the current time: `used:` and a key that it makes tokens with, `life:` and a lifetime
-- Returns    now, in milliseconds since 1970

local key, node, text, keep, silence = KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local stamp = string.format('%.0f', now)

redis.call('HSETNX', key, 'since', stamp)
if text == '' then
  redis.call('HDEL', key, 'node:' .. node)
else
  redis.call('HSET', key, 'node:' .. node, stamp .. ' ' .. text)
  redis.call('HSETNX', key, 'began:' .. node, stamp)
end
for i = 5, #ARGV do redis.call('HSET', key, ARGV[i], stamp) end

local fields = redis.call('HGETALL', key)
for i = 1, #fields, 2 do
  local kind, at = fields[i]:match('^(%a+):'), tonumber(fields[i + 1]:match('^%d+'))
  local limit = (kind == 'node' and silence) or ((kind == 'used' or kind == 'life') and keep)
  if limit and now - at >= limit then redis.call('HDEL', key, fields[i]) end
end
for i = 1, #fields, 2 do
  local name = fields[i]:match('^began:(.*)$') or fields[i]:match('^seen:(.*)$')
  if name and redis.call('HEXISTS', key, 'node:' .. name) == 0 then redis.call('HDEL', key, fields[i]) end
end
redis.call('PEXPIRE', key, keep)
return now
