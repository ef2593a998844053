// The texts of the element in German.
import type { Texts } from './en.js';

const texts: Texts = {
  title: 'Sicherheitsprüfung',
  idle: 'Wartet.',
  solving: 'Ihr Gerät arbeitet daran …',
  ready: 'Fertig.',
  image_needed: 'Noch ein Schritt: das Bild unten.',
  effort_needed: 'Ihr Gerät erledigt die zusätzliche Rechenarbeit …',
  waiting: 'Zu viele Anfragen. Bitte warten Sie {time}.',
  waiting_service: 'Die Sicherheitsprüfung ist zurzeit nicht verfügbar. Nächster Versuch in {time}.',
  rate_limited: 'Zu viele Anfragen. Die Prüfung geht gleich weiter.',
  offline: 'Sie sind offline. Die Sicherheitsprüfung geht weiter, sobald Sie wieder online sind.',
  no_answer: 'Die Sicherheitsprüfung antwortet nicht. Ein neuer Versuch folgt automatisch.',
  unavailable: 'Die Sicherheitsprüfung ist zurzeit nicht verfügbar. Ein neuer Versuch folgt automatisch.',
  wrong_setup:
    'Die Sicherheitsprüfung dieser Website ist nicht richtig eingerichtet. Bitte geben Sie dem Betreiber Bescheid.',
  gave_up: 'Ihr Gerät konnte die Prüfung nicht abschließen. Bitte versuchen Sie es noch einmal.',
  failed: 'Die Sicherheitsprüfung hat nicht funktioniert. Bitte versuchen Sie es noch einmal.',
  retry: 'Erneut versuchen',
  confirm: 'Bestätigen',
  slow: 'Das dauert hier länger: Der Browser oder diese Seite lässt schnelles Rechnen nicht zu.',
  label: 'Zeichen im Bild',
  characters: 'Mögliche Zeichen: {characters}',
  alt: 'Verzerrte Buchstaben und Ziffern, die in das Feld unten einzugeben sind',
  image_shown: 'Bitte geben Sie auch die Zeichen aus dem Bild ein.',
  new_image: 'Neues Bild',
  wrong: 'Diese Antwort wurde nicht angenommen. Bitte geben Sie die Zeichen aus diesem neuen Bild ein.',
  expired: 'Dieses Bild ist abgelaufen. Bitte fordern Sie ein neues an.',
  image_failed:
    'Das Bild kann nicht angezeigt werden. Bitte fordern Sie ein neues an oder geben Sie dem Betreiber Bescheid, wenn das nicht hilft.',
  choose_effort: 'Ich kann dieses Bild nicht lesen: stattdessen mein Gerät rechnen lassen',
  effort_time: 'Das dauert auf diesem Gerät {time}.',
  effort: 'Zusätzliche Rechenarbeit anstelle des Bildes',
  effort_left: 'Schritt {part} von {parts}, noch {time}',
  effort_started: 'Ihr Gerät rechnet jetzt anstelle des Bildes. Sie können das Formular weiter ausfüllen.',
  effort_done: 'Fertig: Es ist kein Bild nötig.',
  choose_image: 'Stattdessen ein Bild anzeigen',
  about: 'etwa {time}',
  few_seconds: 'einige Sekunden',
  not_ready: 'Einen Moment bitte: Die Sicherheitsprüfung läuft noch.',
  missing: 'Bitte geben Sie die Zeichen aus dem Bild ein.',
  delayed: 'Das Formular wird abgeschickt, sobald die Sicherheitsprüfung fertig ist.',
  ready_again: 'Die Sicherheitsprüfung ist fertig.',
};

export default texts;
