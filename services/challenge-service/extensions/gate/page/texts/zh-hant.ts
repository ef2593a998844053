// The texts of the gate's page in traditional Chinese, as in Taiwan and Hong Kong.
import type { GateTexts } from './en.js';

export const zhHant: GateTexts = {
  title: '安全驗證',
  lead: '{site} 即將開啟，請稍候：您的裝置正在進行簡短的運算，您不需要任何操作。',
  lead_image: '開啟 {site} 之前，請輸入圖片中的字元。',
  proceed: '繼續',
  stuck: '沒有反應？本頁面的指令碼無法載入，請重新載入頁面。',
  no_script: '此處已停用 JavaScript。請為本網站啟用它，然後重新載入頁面。',
  no_script_image: '此處已停用 JavaScript。請改為輸入圖片中的字元。',
  label: '圖片中的字元',
  alt: '變形的字母和數字，請輸入到下方的欄位中',
  wrong: '此答案未通過，請輸入這張新圖片中的字元。',
  not_sent: '您剛才傳送的內容沒有送達。驗證完成後，請返回並重新傳送。',
  back: '返回',
  done: '已完成，正在開啟頁面……',
  send_again: '已完成。您之前傳送的內容沒有送達：請返回並重新傳送。',
  not_kept: '驗證已通過，但網站再次要求驗證。請允許本網站使用 Cookie，然後再試一次。',
  moved: '驗證已通過，但您的連線位址不斷變動，因此網站再次要求驗證。請保持使用同一個網路，然後再試一次。',
  wait: '驗證需要稍候片刻，將自動繼續，剩餘時間：',
  retry: '再試一次',
  failed: '驗證未能完成，請再試一次。',
  refused: '無法從您的網路開啟此頁面。',
};
