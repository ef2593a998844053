-- Records a captcha under a token that a page has chosen, unless that token has a record.
--
-- KEYS[1] the record
-- ARGV[1] lifetime, seconds
-- ARGV[2] the record from its second field on
--
-- Returns the record that is there now, or nil if it has been consumed.

local text = redis.call('GET', KEYS[1])
if text then
  if string.sub(text, 1, 1) == '!' then
    return nil
  end
  return text
end

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local record = string.format('%.0f %s', now, ARGV[2])
redis.call('SET', KEYS[1], record, 'PX', tonumber(ARGV[1]) * 1000)
return record
