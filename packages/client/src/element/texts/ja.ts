// The texts of the element in Japanese.
import type { Texts } from './en.js';

const texts: Texts = {
  title: 'セキュリティチェック',
  idle: '待機中です。',
  solving: 'お使いのデバイスで処理しています…',
  ready: '完了しました。',
  image_needed: 'あと1ステップです。下の画像をご確認ください。',
  effort_needed: 'お使いのデバイスで追加の計算をしています…',
  waiting: 'リクエストが多すぎます。{time}お待ちください。',
  waiting_service: '現在、セキュリティチェックを利用できません。{time}後に再試行します。',
  rate_limited: 'リクエストが多すぎます。まもなく再開します。',
  offline: 'オフラインです。接続が回復すると、セキュリティチェックを再開します。',
  no_answer: 'セキュリティチェックが応答しません。自動的に再試行します。',
  unavailable: '現在、セキュリティチェックを利用できません。自動的に再試行します。',
  wrong_setup:
    'このサイトのセキュリティチェックは正しく設定されていません。サイトの管理者にお知らせください。',
  gave_up: 'お使いのデバイスでチェックを完了できませんでした。もう一度お試しください。',
  failed: 'セキュリティチェックを完了できませんでした。もう一度お試しください。',
  retry: '再試行',
  confirm: '確認',
  slow: '通常より時間がかかります。ブラウザーまたはこのページでは高速な計算ができません。',
  label: '画像の文字',
  characters: '使われる文字：{characters}',
  alt: 'ゆがんだ英字と数字。下の欄に入力してください',
  image_shown: '画像の文字も入力してください。',
  new_image: '別の画像',
  wrong: '入力された文字は受け付けられませんでした。新しい画像の文字を入力してください。',
  expired: 'この画像は有効期限が切れました。別の画像を表示してください。',
  image_failed:
    '画像を表示できません。別の画像を表示してください。それでも表示されない場合は、サイトの管理者にお知らせください。',
  choose_effort: 'この画像を読めないので、代わりにデバイスで計算する',
  effort_time: 'このデバイスでは{time}かかります。',
  effort: '画像の代わりの追加計算',
  effort_left: 'ステップ {part}/{parts}、残り{time}',
  effort_started: '画像の代わりに、お使いのデバイスで計算しています。フォームの入力を続けられます。',
  effort_done: '完了しました。画像は必要ありません。',
  choose_image: '代わりに画像を表示',
  about: '約{time}',
  few_seconds: '数秒',
  not_ready: '少々お待ちください。セキュリティチェックを実行中です。',
  missing: '画像の文字を入力してください。',
  delayed: 'セキュリティチェックが終わりしだい、フォームを送信します。',
  ready_again: 'セキュリティチェックが完了しました。',
};

export default texts;
