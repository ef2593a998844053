-- Binds a session to the key of its browser: the rule of src/domain/binding/binding-rule.ts, under the server's clock.
-- When the session was last used, and when it expires, stay as they are.
--
-- KEYS[1]  sessions of the user: hash, session id -> record (src/domain/session-record.ts)
-- ARGV[1]  id of the session
-- ARGV[2]  thumbprint of the key
-- ARGV[3]  the key in its compact form
-- ARGV[4]  when the presented token expires, in milliseconds since 1970; 0 when that is not known
-- Returns  'bound', 'known' when the session has this key already, 'conflict' when it has another one of a browser,
--          'revoked' or 'expired'

local key, sid, thumbprint, compact, token_expires = KEYS[1], ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local text = redis.call('HGET', key, sid)
-- A session that was ended leaves the same gap; only the token shows that this one expired.
if not text then return token_expires > 0 and token_expires <= now and 'expired' or 'revoked' end
if tonumber(text:match('^%d+')) <= now then return 'expired' end

local head, attributes = text:match('^([^\t]*)\t(.*)$')
if not head then head, attributes = text, '' end
local OF_BINDING = {
  binding = true, binding_id = true, binding_key = true, bound_at = true, bound_before = true, bound_pending = true,
}
local kept, binding = {}, {}
for name, value in attributes:gmatch('([%w_]+)=(%S*)') do
  if OF_BINDING[name] then binding[name] = value else kept[#kept + 1] = name .. '=' .. value end
end
if binding.binding == 'dbsc' then
  return binding.binding_id == thumbprint and 'known' or 'conflict'
end

local set = 'binding=dbsc binding_id=%s binding_key=%s bound_at=%.0f'
kept[#kept + 1] = string.format(set, thumbprint, compact, now)
if binding.binding == 'key' then kept[#kept + 1] = 'bound_before=' .. binding.binding_id end
-- Until a refresh comes with the bound cookie: the response may be lost.
kept[#kept + 1] = 'bound_pending=1'
-- A server without free memory runs a script only if its first write needs none.
redis.call('HDEL', key, '')
redis.call('HSET', key, sid, head .. '\t' .. table.concat(kept, ' '))
return 'bound'
