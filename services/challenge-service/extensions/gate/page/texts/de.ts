// The texts of the gate's page in German.
import type { GateTexts } from './en.js';

export const de: GateTexts = {
  title: 'Sicherheitsprüfung',
  lead: '{site} öffnet sich gleich: Ihr Gerät führt noch eine kurze Berechnung aus. Sie müssen nichts tun.',
  lead_image: 'Bevor {site} sich öffnet, geben Sie bitte die Zeichen aus einem Bild ein.',
  proceed: 'Weiter',
  stuck:
    'Es geschieht nichts? Die Skripte dieser Seite konnten nicht geladen werden. Laden Sie die Seite neu.',
  no_script:
    'JavaScript ist hier ausgeschaltet. Schalten Sie es für diese Website ein und laden Sie die Seite neu.',
  no_script_image:
    'JavaScript ist hier ausgeschaltet. Bitte geben Sie stattdessen die Zeichen aus dem Bild ein.',
  label: 'Zeichen im Bild',
  alt: 'Verzerrte Buchstaben und Ziffern, die in das Feld unten einzugeben sind',
  wrong: 'Diese Antwort wurde nicht angenommen. Bitte geben Sie die Zeichen aus diesem neuen Bild ein.',
  not_sent:
    'Was Sie gerade gesendet haben, wurde nicht zugestellt. Gehen Sie nach dieser Prüfung zurück und senden Sie es noch einmal.',
  back: 'Zurück',
  done: 'Fertig. Die Seite öffnet sich …',
  send_again:
    'Fertig. Was Sie vorhin gesendet haben, wurde nicht zugestellt: Gehen Sie zurück und senden Sie es noch einmal.',
  not_kept:
    'Die Prüfung ist bestanden, aber die Website fragt noch einmal. Erlauben Sie Cookies für diese Website und versuchen Sie es erneut.',
  moved:
    'Die Prüfung ist bestanden, aber Ihre Verbindung wechselt ständig die Adresse, sodass die Website erneut fragt. Bleiben Sie in einem Netz und versuchen Sie es noch einmal.',
  wait: 'Die Prüfung muss kurz warten. Sie geht von selbst weiter in:',
  retry: 'Erneut versuchen',
  failed: 'Die Prüfung hat nicht funktioniert. Bitte versuchen Sie es noch einmal.',
  refused: 'Diese Seite lässt sich aus Ihrem Netz nicht öffnen.',
};
