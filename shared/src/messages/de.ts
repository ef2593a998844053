// Texts in German.

import type { MessageKey } from './en.js';

export const de: Record<MessageKey, string> = {
  validation_failed: 'Einige Angaben fehlen oder sind falsch.',
  malformed_json: 'Die Anfrage enthält kein gültiges JSON.',
  unsupported_media_type: 'Diese Art von Inhalt wird hier nicht angenommen.',
  body_too_large: 'Die Anfrage ist zu groß.',
  not_found: 'Unter dieser Adresse gibt es nichts.',
  method_not_allowed: 'Diese Adresse nimmt diese Art von Anfrage nicht an.',
  request_timeout: 'Die Anfrage ist nicht rechtzeitig angekommen.',
  header_too_large: 'Der Header der Anfrage ist zu groß.',
  bad_request: 'Die Anfrage ist nicht verständlich.',
  rate_limited: 'Zu viele Anfragen. Bitte warten Sie einen Moment.',
  store_unavailable: 'Der Dienst ist kurzzeitig nicht verfügbar. Bitte versuchen Sie es gleich noch einmal.',
  overloaded: 'Der Dienst ist stark ausgelastet. Bitte versuchen Sie es gleich noch einmal.',
  origin_refused: 'Anfragen von dieser Website werden nicht angenommen.',
  internal_error: 'Bei uns ist ein Fehler aufgetreten.',
  host_key_invalid: 'Der Schlüssel des Hosts fehlt oder ist falsch.',
  api_key_invalid: 'Der API-Schlüssel fehlt oder ist falsch.',

  pow_invalid: 'Die Sicherheitsprüfung ist fehlgeschlagen. Bitte versuchen Sie es noch einmal.',
  pow_insufficient: 'Die Sicherheitsprüfung muss wiederholt werden. Das kann einen Moment dauern.',
  captcha_invalid: 'Die zusätzliche Prüfung ist fehlgeschlagen. Bitte versuchen Sie es mit einer neuen.',
  captcha_required: 'Bitte führen Sie auch die zusätzliche Prüfung durch.',
  preset_refused: 'Bitte führen Sie die zusätzliche Prüfung durch, die dieses Formular verlangt.',
  pass_invalid: 'Dieser Passierschein ist hier nicht gültig.',
  pass_exhausted: 'Dieser Passierschein wurde zu oft verwendet. Bitte warten Sie einen Moment.',
  hostname_not_allowed: 'Seiten unter dieser Adresse können diese Prüfung nicht verwenden.',
  unknown_preset: 'Es gibt keine Prüfung mit diesem Namen.',
  no_image_library: 'Bilder können zurzeit nicht erzeugt werden.',
  image_unavailable: 'Dieses Bild kann hier zurzeit nicht erzeugt werden. Bitte fordern Sie ein neues an.',

  gate_pass_required:
    'Diese Website verlangt zuerst eine kurze Prüfung. Öffnen Sie ihre Adresse in einem Browser.',
  gate_not_looked_up:
    'Die Adresse dieses Roboters konnte nicht überprüft werden. Versuchen Sie es später noch einmal.',
  gate_refused: 'Diese Adresse lässt sich aus Ihrem Netz nicht öffnen.',
  gate_site_unknown: 'Eine solche Website gibt es hier nicht.',

  login_failed: 'Die E-Mail-Adresse oder das Passwort ist falsch.',
  login_throttled: 'Zu viele Fehlversuche. Bitte warten Sie, bevor Sie es noch einmal versuchen.',
  code_invalid: 'Diese Anmeldung ist nicht mehr gültig. Bitte melden Sie sich noch einmal an.',
  unknown_user: 'Diesen Benutzer gibt es nicht.',
  user_disabled: 'Dieser Benutzer ist gesperrt.',
  directory_read_only: 'Passwörter können hier nicht geändert werden.',
  password_conflict: 'Das Passwort wurde inzwischen geändert. Bitte versuchen Sie es noch einmal.',
  token_invalid: 'Bitte melden Sie sich an.',
  session_expired: 'Ihre Sitzung ist abgelaufen. Bitte melden Sie sich noch einmal an.',
  session_revoked: 'Ihre Sitzung wurde beendet. Bitte melden Sie sich noch einmal an.',
  binding_required:
    'Ihr Browser hat nicht nachgewiesen, dass diese Sitzung zu ihm gehört. Bitte melden Sie sich noch einmal an.',
  registration_invalid: 'Die Registrierung des Browsers ist nicht gültig.',
  signature_required: 'Der Browser muss eine Challenge signieren.',
  binding_conflict: 'Diese Sitzung ist an einen anderen Schlüssel gebunden.',
  insufficient_user_authentication: 'Bitte bestätigen Sie, dass Sie es sind.',
  cookie_conflict:
    'Ihr Browser hat zwei verschiedene Sitzungen gesendet. Bitte melden Sie sich noch einmal an.',

  required: 'Dieses Feld ist ein Pflichtfeld.',
  type: 'Dieser Wert hat den falschen Typ.',
  too_short: 'Dieser Wert ist zu kurz (Mindestlänge: {limit}).',
  too_long: 'Dieser Wert ist zu lang (Höchstlänge: {limit}).',
  out_of_range: 'Dieser Wert liegt außerhalb des erlaubten Bereichs.',
  malformed: 'Dieser Wert hat das falsche Format.',
  unknown_field: 'Dieses Feld ist nicht bekannt.',
  wrong_answer: 'Die Antwort auf die zusätzliche Prüfung ist nicht richtig.',
  wrong_work: 'Die Sicherheitsprüfung wurde nicht gelöst.',
  insufficient_work: 'Die Sicherheitsprüfung war für dieses Konto zu leicht.',
  work_too_easy: 'Die Sicherheitsprüfung war für dieses Formular zu leicht.',
  wrong_algorithm:
    'Die Sicherheitsprüfung wurde nicht auf eine Weise durchgeführt, die dieses Formular akzeptiert.',
  wrong_origin: 'Seiten dieses Ursprungs können den Dienst nicht verwenden.',
  wrong_preset: 'Das ist nicht die zusätzliche Prüfung, die dieses Formular verlangt.',

  send_again: 'Bitte gehen Sie in Ihrem Browser zurück und senden Sie das Formular noch einmal ab.',
  one_moment: 'Einen Moment bitte.',
};
