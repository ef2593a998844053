-- Reports the load of a process, changes what the rule remembers if nobody has changed it meanwhile, and returns what all
-- processes have reported.
--
-- KEYS[1]  hash: `process:` and the name of a process → the time of its report and the report; `state` → what the rule
--          remembers
-- KEYS[2]  bits by which somebody has raised the price by hand
-- ARGV[1]  name of the process
-- ARGV[2]  its report; empty to remove it, `-` to leave it as it is
-- ARGV[3]  what the rule remembers as this process knows it; empty if that is nothing
-- ARGV[4]  what it remembers from now on; empty to change nothing
-- ARGV[5]  age from which on a report does not count, milliseconds
-- ARGV[6]  how long all of it is kept, milliseconds
--
-- Returns { now in milliseconds, what the rule remembers or an empty text, bits by hand or an empty text, milliseconds
--           left of them, then the reports that count }

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local own = 'process:' .. ARGV[1]
if ARGV[2] == '' then
  redis.call('HDEL', KEYS[1], own)
elseif ARGV[2] ~= '-' then
  redis.call('HSET', KEYS[1], own, string.format('%.0f ', now) .. ARGV[2])
end
if ARGV[4] ~= '' and (redis.call('HGET', KEYS[1], 'state') or '') == ARGV[3] then
  redis.call('HSET', KEYS[1], 'state', ARGV[4])
end

local answer = { now, '', redis.call('GET', KEYS[2]) or '', redis.call('PTTL', KEYS[2]) }
local fields = redis.call('HGETALL', KEYS[1])
for i = 1, #fields, 2 do
  local at, report = string.match(fields[i + 1], '^(%d+) (.*)$')
  if fields[i] == 'state' then
    answer[2] = fields[i + 1]
  elseif at and math.abs(now - tonumber(at)) < tonumber(ARGV[5]) then
    answer[#answer + 1] = report
  else
    redis.call('HDEL', KEYS[1], fields[i])
  end
end
redis.call('PEXPIRE', KEYS[1], ARGV[6])
return answer
