-- Records that the process of a node runs, and its state.
--
-- KEYS[1]    the record of keys: hash (src/keys/key-record.ts)
-- ARGV[1]    name of the node
-- ARGV[2]    its state
-- ARGV[3]    how long the record is kept, in milliseconds
-- Returns    now, in milliseconds since 1970

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HSET', KEYS[1], 'seen:' .. ARGV[1], string.format('%.0f', now) .. ' ' .. ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return now
