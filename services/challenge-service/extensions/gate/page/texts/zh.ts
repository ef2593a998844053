// The texts of the gate's page in simplified Chinese.
import type { GateTexts } from './en.js';

export const zh: GateTexts = {
  title: '安全验证',
  lead: '{site} 即将打开，请稍候：您的设备正在进行简短的计算，您无需任何操作。',
  lead_image: '打开 {site} 之前，请输入图片中的字符。',
  proceed: '继续',
  stuck: '没有反应？本页面的脚本无法加载，请重新加载页面。',
  no_script: '此处已停用 JavaScript。请为本网站启用它，然后重新加载页面。',
  no_script_image: '此处已停用 JavaScript。请改为输入图片中的字符。',
  label: '图片中的字符',
  alt: '变形的字母和数字，请输入到下方的输入框中',
  wrong: '该答案未通过，请输入这张新图片中的字符。',
  not_sent: '您刚才发送的内容没有送达。验证完成后，请返回并重新发送。',
  back: '返回',
  done: '已完成，正在打开页面……',
  send_again: '已完成。您之前发送的内容没有送达：请返回并重新发送。',
  not_kept: '验证已通过，但网站再次要求验证。请允许本网站使用 Cookie，然后重试。',
  moved: '验证已通过，但您的连接地址不断变化，因此网站再次要求验证。请保持使用同一网络，然后重试。',
  wait: '验证需要稍等片刻，将自动继续，剩余时间：',
  retry: '重试',
  failed: '验证未能完成，请重试。',
  refused: '无法从您的网络打开此页面。',
};
