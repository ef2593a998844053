-- Takes a sign-in code: marks it as taken by a claim and returns what it stands for. The same claim gets it again.
--
-- KEYS[1]  the code: user id, time and origin, after a tab the attributes (src/domain/sign-in-code.ts)
-- ARGV[1]  the claim, without spaces
-- ARGV[2]  origin of the page that exchanges it; a code of another origin is not taken
-- Returns  the code, or nil if there is none, it is taken, or it is of another origin. A taken code is kept for as long
--          as the code would have lived.

local text = redis.call('GET', KEYS[1])
if not text then return nil end

local claim, taken = text:match('^!(%S+) (.*)$')
if claim then return claim == ARGV[1] and taken or nil end
if text:match('^%S+ %S+ ([^\t]*)') ~= ARGV[2] then return nil end

local left = math.max(redis.call('PTTL', KEYS[1]), 1)
-- A server out of memory runs a script only if its first write needs none. Deleting needs none.
redis.call('DEL', KEYS[1])
redis.call('SET', KEYS[1], '!' .. ARGV[1] .. ' ' .. text, 'PX', left)
return text
