// The texts of the gate's page in Polish.
import type { GateTexts } from './en.js';

export const pl: GateTexts = {
  title: 'Weryfikacja bezpieczeństwa',
  lead: '{site} zaraz się otworzy: urządzenie wykonuje krótkie obliczenie. Nic nie trzeba robić.',
  lead_image: 'Aby otworzyć {site}, proszę wpisać znaki z obrazka.',
  proceed: 'Dalej',
  stuck: 'Nic się nie dzieje? Nie udało się wczytać skryptów tej strony. Proszę odświeżyć stronę.',
  no_script: 'JavaScript jest tu wyłączony. Proszę włączyć go dla tej witryny i odświeżyć stronę.',
  no_script_image: 'JavaScript jest tu wyłączony. Proszę zamiast tego wpisać znaki z obrazka.',
  label: 'Znaki na obrazku',
  alt: 'Zniekształcone litery i cyfry do wpisania w polu poniżej',
  wrong: 'Odpowiedź nie została przyjęta. Proszę wpisać znaki z tego nowego obrazka.',
  not_sent: 'To, co właśnie wysłano, nie dotarło. Po tej weryfikacji proszę wrócić i wysłać to ponownie.',
  back: 'Wróć',
  done: 'Gotowe. Strona się otwiera…',
  send_again: 'Gotowe. To, co wysłano wcześniej, nie dotarło: proszę wrócić i wysłać to ponownie.',
  not_kept:
    'Weryfikacja się powiodła, ale witryna prosi o nią znowu. Proszę zezwolić tej witrynie na pliki cookie i spróbować ponownie.',
  moved:
    'Weryfikacja się powiodła, ale adres połączenia ciągle się zmienia, więc witryna prosi o nią znowu. Proszę pozostać w jednej sieci i spróbować ponownie.',
  wait: 'Weryfikacja musi chwilę zaczekać. Zostanie wznowiona samoczynnie za:',
  retry: 'Spróbuj ponownie',
  failed: 'Weryfikacja nie powiodła się. Proszę spróbować ponownie.',
  refused: 'Tej strony nie można otworzyć z tej sieci.',
};
