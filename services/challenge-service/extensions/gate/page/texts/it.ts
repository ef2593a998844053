// The texts of the gate's page in Italian.
import type { GateTexts } from './en.js';

export const it: GateTexts = {
  title: 'Controllo di sicurezza',
  lead: 'Un attimo prima che si apra {site}: il dispositivo esegue un breve calcolo. Non occorre fare nulla.',
  lead_image: 'Prima che si apra {site}, si prega di scrivere i caratteri di un’immagine.',
  proceed: 'Continua',
  stuck: 'Non succede nulla? Qualcosa impedisce il caricamento degli script di questa pagina. Ricaricarla.',
  no_script: 'JavaScript è disattivato qui. Attivarlo per questo sito e ricaricare la pagina.',
  no_script_image: 'JavaScript è disattivato qui. Si prega di scrivere invece i caratteri nell’immagine.',
  label: 'Caratteri nell’immagine',
  alt: 'Lettere e cifre distorte, da scrivere nel campo qui sotto',
  wrong: 'La risposta non è stata accettata. Si prega di scrivere i caratteri in questa nuova immagine.',
  not_sent:
    'Quanto appena inviato non è stato consegnato. Dopo questo controllo, tornare indietro e inviarlo di nuovo.',
  back: 'Torna indietro',
  done: 'Fatto. La pagina si sta aprendo…',
  send_again: 'Fatto. Quanto inviato prima non è stato consegnato: tornare indietro e inviarlo di nuovo.',
  not_kept:
    'Il controllo è superato, ma il sito lo chiede di nuovo. Consentire i cookie per questo sito e riprovare.',
  moved:
    'Il controllo è superato, ma la connessione cambia continuamente indirizzo e il sito lo chiede di nuovo. Restare su una sola rete e riprovare.',
  wait: 'Il controllo deve attendere un momento. Riprenderà da solo tra:',
  retry: 'Riprova',
  failed: 'Il controllo non ha funzionato. Si prega di riprovare.',
  refused: 'Questa pagina non può essere aperta dalla rete in uso.',
};
