// Ages all data of a Redis server, so that no test waits for time to pass.

import type { Redis } from 'ioredis';

// A stored time is a whole word of 13 digits beginning with 1: milliseconds since 1970, from 2001 to 2033.
const AGE = `
local ms = tonumber(ARGV[1])
local function older(text)
  return (text:gsub('%f[%w]1%d%d%d%d%d%d%d%d%d%d%d%d%f[%W]', function(time)
    return string.format('%.0f', tonumber(time) - ms)
  end))
end

local age = {}
function age.string(key)
  redis.call('SET', key, older(redis.call('GET', key)), 'KEEPTTL')
end
function age.hash(key)
  local pairs = redis.call('HGETALL', key)
  for i = 1, #pairs, 2 do redis.call('HSET', key, pairs[i], older(pairs[i + 1])) end
end
function age.list(key)
  for i, item in ipairs(redis.call('LRANGE', key, 0, -1)) do redis.call('LSET', key, i - 1, older(item)) end
end
function age.zset(key)
  local members = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
  for i = 1, #members, 2 do
    local score = tonumber(members[i + 1])
    if score >= 1e12 and score < 2e12 then
      redis.call('ZADD', key, string.format('%.0f', score - ms), members[i])
    end
  end
end
function age.stream(key)
  local entries, ttl = redis.call('XRANGE', key, '-', '+'), redis.call('PTTL', key)
  redis.call('DEL', key)
  for _, entry in ipairs(entries) do
    redis.call('XADD', key, older(entry[1]), unpack(entry[2]))
  end
  if ttl > 0 then redis.call('PEXPIRE', key, ttl) end
end

for _, key in ipairs(redis.call('KEYS', '*')) do
  local change = age[redis.call('TYPE', key).ok]
  if change then change(key) end
  local ttl = redis.call('PTTL', key)
  if ttl >= 0 then
    if ttl > ms then redis.call('PEXPIRE', key, ttl - ms) else redis.call('DEL', key) end
  end
end`;

/**
 * Moves every stored time (in strings, hash values, list items, scores and stream ids) and every expiry into the past, in
 * one step.
 *
 * @param ms milliseconds, a whole number
 */
export async function ageRedis(client: Redis, ms: number): Promise<void> {
  await client.eval(AGE, 0, ms);
}
