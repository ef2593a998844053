-- Decides a refresh: the rules of src/domain/rotation.ts and of src/domain/binding/binding-rule.ts on the stored session,
-- under the server's clock.
--
-- KEYS[1]  sessions of the user: hash, session id -> record (src/domain/session-record.ts)
-- KEYS[2]  how the user's sessions ended: list, the newest first (src/domain/session-end.ts)
-- ARGV[1]  id of the session
-- ARGV[2]  presented generation
-- ARGV[3]  window after a rotation, in milliseconds; 0 is strict single use
-- ARGV[4]  generations that may be recovered in 24 hours
-- ARGV[5]  longest time without a refresh, in milliseconds
-- ARGV[6]  how long the note of an end is kept, in milliseconds; 0 keeps none
-- ARGV[7]  notes that are kept at most
-- ARGV[8]  pseudonym of the client's address, or -
-- ARGV[9]  when the presented token expires, in milliseconds since 1970; 0 when that is not known
-- ARGV[10] longest time without a refresh of a session that ends with its browser, in milliseconds
-- ARGV[11] whether a key is asked for: off | offer | require
-- ARGV[12] thumbprint of the key of a verified proof, or empty
-- ARGV[13] that key in its compact form, or empty
-- ARGV[14] thumbprint in a verified bound cookie of the session, or empty
-- ARGV[15] 1 when the proof has the nonce of the login, without which it binds nothing, else 0
-- Returns  { 'current' | 'rotated' | 'recovered' | 'rolled_forward', generation, now, start (as text),
--          absolute expiry, attributes, 1 when this step has bound the session or else 0 }, times in milliseconds since
--          1970, or { 'binding_required', 'none' | 'key' | 'dbsc' }, or { 'revoked' | 'expired' | 'reuse' |
--          'binding_failed' }

local key, sid, presented, window = KEYS[1], ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local limit, refresh_ttl = tonumber(ARGV[4]), tonumber(ARGV[5])
local notes, keep, most, address = KEYS[2], tonumber(ARGV[6]), tonumber(ARGV[7]), ARGV[8]
local policy, proof, cookie = ARGV[11], ARGV[12], ARGV[14]
local may_bind = proof ~= '' and ARGV[15] == '1'
local DAY = 86400000
local GRACE = 10000

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local text = redis.call('HGET', key, sid)
if not text then
  -- A session that was ended leaves the same gap; only the token shows that this one expired.
  local token_expires = tonumber(ARGV[9])
  return { token_expires > 0 and token_expires <= now and 'expired' or 'revoked' }
end

local expires, _, created, absolute, rotated, generation, used, recoveries, agent =
  text:match('^(%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%S+) (.*)$')
expires, absolute, rotated = tonumber(expires), tonumber(absolute), tonumber(rotated)
generation, used = tonumber(generation), tonumber(used)
local attributes = agent:match('\t(.*)$') or ''
if (' ' .. attributes .. ' '):find(' remember=0 ', 1, true) then refresh_ttl = tonumber(ARGV[10]) end

-- What the binding says: pass, bind, confirm, binding_required or binding_failed; and the kind of key that is asked for.
local function decide_binding()
  local pairs = ' ' .. attributes .. ' '
  local kind = pairs:match(' binding=(%S+)')
  local known, at = pairs:match(' binding_id=(%S+)'), tonumber(pairs:match(' bound_at=(%d+)'))
  local before = pairs:match(' bound_before=(%S+)')
  if kind ~= 'key' and kind ~= 'dbsc' then kind = 'none' end
  if policy == 'off' then return 'pass', kind end
  if kind == 'none' then
    if may_bind then return 'bind', kind end
    return policy == 'require' and 'binding_required' or 'pass', kind
  end
  if kind == 'key' then
    if proof == '' then return 'binding_required', kind end
    return proof == known and 'pass' or 'binding_failed', kind
  end
  local pending = pairs:find(' bound_pending=1 ', 1, true)
  if cookie == known then return pending and 'confirm' or 'pass', kind end
  -- The response to the registration may have been lost: what sufficed before it suffices.
  if pending then kind = before and 'key' or 'none' end
  if not pending and math.abs(now - at) >= GRACE then return 'binding_required', kind end
  if before then return proof == before and 'pass' or 'binding_required', kind end
  if may_bind then return 'bind', kind end
  return policy == 'require' and 'binding_required' or 'pass', kind
end

local binding, kind = decide_binding()
if expires > now and binding == 'binding_required' then return { binding, kind } end

-- A server out of memory rejects writes only until the first write of a script has run. This one needs no memory, so a
-- full store still refreshes its sessions.
redis.call('HDEL', key, '')

local function note(at, text)
  if at <= now - keep then return end
  redis.call('LPUSH', notes, string.format('%.0f %s %s', at, sid, text))
  redis.call('LTRIM', notes, 0, most - 1)
  while tonumber(redis.call('LINDEX', notes, -1):match('^%d+')) <= now - keep do redis.call('RPOP', notes) end
  redis.call('PEXPIRE', notes, keep)
end

local function refuse(outcome, at, text)
  redis.call('HDEL', key, sid)
  local latest = 0
  for _, record in ipairs(redis.call('HVALS', key)) do
    latest = math.max(latest, tonumber(record:match('^%d+')))
  end
  if latest > 0 then redis.call('PEXPIREAT', key, string.format('%.0f', latest)) end
  note(at, text)
  return { outcome }
end

local function grant(outcome)
  local until_ms = math.min(now + refresh_ttl, absolute)
  local record = string.format('%.0f %.0f %s %.0f %.0f %.0f %.0f %s %s', until_ms, now, created, absolute, rotated,
    generation, used, recoveries, agent)
  redis.call('HSET', key, sid, record)
  -- The key expires with the last session. Reading them all here would cost more with each.
  if redis.call('PTTL', key) < until_ms - now then redis.call('PEXPIREAT', key, string.format('%.0f', until_ms)) end
  local bound = binding == 'bind' and kind == 'none'
  return { outcome, generation, now, created, absolute, attributes, bound and 1 or 0 }
end

-- The recoveries of the last day including this generation, or nil and the reason why it may not be recovered.
local function recover()
  if used >= generation then return nil, 'used' end
  if window == 0 then return nil, 'strict' end
  local recent, counted = {}, false
  for recovered, at in recoveries:gmatch('(%d+):(%d+)') do
    if now - tonumber(at) < DAY then
      recent[#recent + 1] = recovered .. ':' .. at
      counted = counted or tonumber(recovered) == generation
    end
  end
  if not counted then
    if #recent >= limit then return nil, 'spent' end
    recent[#recent + 1] = string.format('%.0f:%.0f', generation, now)
  end
  return table.concat(recent, ',')
end

if expires <= now then
  return refuse('expired', expires, expires == absolute and 'max_age -' or 'expired -')
end
if binding == 'binding_failed' then return refuse(binding, now, binding .. ' ' .. address) end
local function set_attributes(text)
  attributes = text
  agent = agent:match('^[^\t]*') .. (text == '' and '' or '\t' .. text)
end
if binding == 'bind' then
  local added = string.format('binding=key binding_id=%s binding_key=%s bound_at=%.0f', proof, ARGV[13], now)
  -- Beside the registration of a browser, the key of the page is the one before.
  if (' ' .. attributes):find(' binding=dbsc', 1, true) then added = 'bound_before=' .. proof end
  set_attributes(attributes == '' and added or attributes .. ' ' .. added)
elseif binding == 'confirm' then
  set_attributes((attributes:gsub(' ?bound_pending=1', '')))
end
-- If the clock was set back, a rotation in its future would keep the window open until the clock catches up.
local effective = rotated - now > window and 0 or rotated
local in_window = now - effective < window

if presented > generation then
  generation, used, rotated = presented, math.max(used, presented), now
  return grant('rolled_forward')
end
-- Whoever presents the current generation has received it, also within the window.
if presented == generation then used = math.max(used, generation) end
if presented >= generation - 1 and in_window then return grant('current') end
if presented == generation then
  generation, rotated = generation + 1, now
  return grant('rotated')
end
local reuse = string.format('reuse %s %.0f %.0f', address, presented, generation)
if presented == generation - 1 then
  local counted, why = recover()
  if counted then
    recoveries, rotated = counted, now
    return grant('recovered')
  end
  reuse = reuse .. ' ' .. why
end
return refuse('reuse', now, reuse)
