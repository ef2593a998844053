// The texts of the element in Polish.
import type { Texts } from './en.js';

const texts: Texts = {
  title: 'Weryfikacja bezpieczeństwa',
  idle: 'Oczekiwanie.',
  solving: 'Urządzenie nad tym pracuje…',
  ready: 'Gotowe.',
  image_needed: 'Jeszcze jeden krok: obrazek poniżej.',
  effort_needed: 'Urządzenie wykonuje dodatkowe obliczenia…',
  waiting: 'Zbyt wiele żądań. Proszę poczekać, pozostały czas: {time}.',
  waiting_service: 'Weryfikacja bezpieczeństwa jest chwilowo niedostępna. Czas do następnej próby: {time}.',
  rate_limited: 'Zbyt wiele żądań. Weryfikacja zostanie za chwilę wznowiona.',
  offline:
    'Brak połączenia z internetem. Weryfikacja bezpieczeństwa zostanie wznowiona po przywróceniu połączenia.',
  no_answer: 'Weryfikacja bezpieczeństwa nie odpowiada. Kolejna próba nastąpi automatycznie.',
  unavailable: 'Weryfikacja bezpieczeństwa jest chwilowo niedostępna. Kolejna próba nastąpi automatycznie.',
  wrong_setup:
    'Weryfikacja bezpieczeństwa w tej witrynie jest nieprawidłowo skonfigurowana. Proszę powiadomić jej administratora.',
  gave_up: 'Urządzenie nie zdołało ukończyć weryfikacji. Proszę spróbować ponownie.',
  failed: 'Weryfikacja bezpieczeństwa nie powiodła się. Proszę spróbować ponownie.',
  retry: 'Spróbuj ponownie',
  confirm: 'Potwierdź',
  slow: 'Tutaj trwa to dłużej: przeglądarka lub ta strona nie pozwala na szybkie obliczenia.',
  label: 'Znaki na obrazku',
  characters: 'Możliwe znaki: {characters}',
  alt: 'Zniekształcone litery i cyfry do wpisania w polu poniżej',
  image_shown: 'Proszę wpisać także znaki z obrazka.',
  new_image: 'Nowy obrazek',
  wrong: 'Odpowiedź nie została przyjęta. Proszę wpisać znaki z tego nowego obrazka.',
  expired: 'Obrazek stracił ważność. Proszę pobrać nowy.',
  image_failed:
    'Nie można wyświetlić obrazka. Proszę pobrać nowy, a jeśli to nie pomoże, powiadomić administratora witryny.',
  choose_effort: 'Nie mogę odczytać tego obrazka: niech zamiast tego popracuje moje urządzenie',
  effort_time: 'Na tym urządzeniu zajmie to {time}.',
  effort: 'Dodatkowe obliczenia zamiast obrazka',
  effort_left: 'Krok {part} z {parts}, pozostały czas: {time}',
  effort_started: 'Urządzenie wykonuje obliczenia zamiast obrazka. Można dalej wypełniać formularz.',
  effort_done: 'Gotowe: obrazek nie jest potrzebny.',
  choose_image: 'Pokaż jednak obrazek',
  about: 'mniej więcej {time}',
  few_seconds: 'kilka sekund',
  not_ready: 'Chwileczkę: weryfikacja bezpieczeństwa jeszcze trwa.',
  missing: 'Proszę wpisać znaki z obrazka.',
  delayed: 'Formularz zostanie wysłany, gdy tylko zakończy się weryfikacja bezpieczeństwa.',
  ready_again: 'Weryfikacja bezpieczeństwa zakończona.',
};

export default texts;
