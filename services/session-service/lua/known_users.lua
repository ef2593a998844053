-- Changes the users who identify their directory.
--
-- KEYS[1]  text: the identity or `-`, then a line `id key-id pseudonym time` for each user (src/stores/known-users.ts)
-- ARGV[1]  how long the text is kept after a change, in milliseconds; a removal leaves its expiry
-- ARGV[2]  users at most
-- ARGV[3]  how long a user is kept after its time, in milliseconds; 0 removes none
-- ARGV[4]  identity to set; empty leaves it
-- ARGV[5]  id of the user to remove, or empty
-- ARGV[6]  `id key-id pseudonym` of the user to add or renew, or empty
-- Returns  { the new text, number of removed lines }

local key, keep, most, lifetime = KEYS[1], ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local identity, gone, added = ARGV[4], ARGV[5], ARGV[6]
local added_id = added:match('^%S+')
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local lines, removed, first = {}, 0, nil
for line in ((redis.call('GET', key) or '') .. '\n'):gmatch('([^\n]*)\n') do
  if first == nil then
    first = line
  else
    local id, seen = line:match('^(%S+) %S+ %S+ ?(%d*)$')
    if seen == '' then
      seen = now
      line = string.format('%s %.0f', line, now)
    end
    if id == gone or id == added_id or (lifetime > 0 and tonumber(seen) <= now - lifetime) then
      removed = removed + 1
    else
      lines[#lines + 1] = line
    end
  end
end
if added ~= '' and #lines < most then lines[#lines + 1] = string.format('%s %.0f', added, now) end
if #lines == 0 then
  redis.call('DEL', key)
  return { '', removed }
end
if identity == '' then identity = first end
if identity == '' then identity = '-' end
local text = identity .. '\n' .. table.concat(lines, '\n')
local expiry = gone ~= '' and redis.call('PTTL', key) or 0
if expiry > 0 then keep = expiry end
redis.call('SET', key, text, 'PX', keep)
return { text, removed }
