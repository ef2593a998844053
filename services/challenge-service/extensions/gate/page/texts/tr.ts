// The texts of the gate's page in Turkish.
import type { GateTexts } from './en.js';

export const tr: GateTexts = {
  title: 'Güvenlik kontrolü',
  lead: '{site} birazdan açılacak: cihazınız kısa bir hesaplama yapıyor. Bir şey yapmanız gerekmiyor.',
  lead_image: '{site} sitesini açmak için lütfen resimdeki karakterleri yazın.',
  proceed: 'Devam et',
  stuck: 'Hiçbir şey olmuyor mu? Bu sayfanın betikleri yüklenemedi. Sayfayı yeniden yükleyin.',
  no_script: 'JavaScript burada kapalı. Bu site için açın, ardından sayfayı yeniden yükleyin.',
  no_script_image: 'JavaScript burada kapalı. Lütfen bunun yerine resimdeki karakterleri yazın.',
  label: 'Resimdeki karakterler',
  alt: 'Aşağıdaki alana yazılacak, biçimi bozulmuş harfler ve rakamlar',
  wrong: 'Bu yanıt kabul edilmedi. Lütfen bu yeni resimdeki karakterleri yazın.',
  not_sent: 'Az önce gönderdikleriniz ulaşmadı. Bu kontrolden sonra geri dönüp yeniden gönderin.',
  back: 'Geri dön',
  done: 'Tamamlandı. Sayfa açılıyor…',
  send_again: 'Tamamlandı. Daha önce gönderdikleriniz ulaşmadı: geri dönüp yeniden gönderin.',
  not_kept:
    'Kontrol tamamlandı, ancak site yeniden istiyor. Bu site için çerezlere izin verin, ardından yeniden deneyin.',
  moved:
    'Kontrol tamamlandı, ancak bağlantınızın adresi sürekli değiştiği için site yeniden istiyor. Tek bir ağda kalın, ardından yeniden deneyin.',
  wait: 'Kontrolün biraz beklemesi gerekiyor. Kendiliğinden devam edecek, kalan süre:',
  retry: 'Yeniden dene',
  failed: 'Kontrol tamamlanamadı. Lütfen yeniden deneyin.',
  refused: 'Bu sayfa ağınızdan açılamıyor.',
};
