// The texts of the gate's page in Italian.
import type { GateTexts } from './en.js';

export const it: GateTexts = {
  title: 'Controllo di sicurezza',
  lead: '{site} si aprirà tra un attimo: il tuo dispositivo sta eseguendo un breve calcolo. Non devi fare nulla.',
  lead_image: 'Per aprire {site}, scrivi i caratteri di un’immagine.',
  proceed: 'Continua',
  stuck: 'Non succede nulla? Non è stato possibile caricare gli script di questa pagina. Ricarica la pagina.',
  no_script: 'JavaScript è disattivato qui. Attivalo per questo sito e ricarica la pagina.',
  no_script_image: 'JavaScript è disattivato qui. Scrivi invece i caratteri dell’immagine.',
  label: 'Caratteri dell’immagine',
  alt: 'Lettere e cifre distorte, da scrivere nel campo qui sotto',
  wrong: 'La risposta non è stata accettata. Scrivi i caratteri di questa nuova immagine.',
  not_sent:
    'Ciò che hai appena inviato non è stato consegnato. Dopo questo controllo, torna indietro e invialo di nuovo.',
  back: 'Torna indietro',
  done: 'Fatto. La pagina si sta aprendo…',
  send_again: 'Fatto. Ciò che hai inviato prima non è stato consegnato: torna indietro e invialo di nuovo.',
  not_kept:
    'Il controllo è superato, ma il sito lo chiede di nuovo. Consenti i cookie per questo sito e riprova.',
  moved:
    'Il controllo è superato, ma la tua connessione cambia continuamente indirizzo e il sito lo chiede di nuovo. Resta su una sola rete e riprova.',
  wait: 'Il controllo deve attendere un momento. Riprenderà da solo tra:',
  retry: 'Riprova',
  failed: 'Il controllo non ha funzionato. Riprova.',
  refused: 'Questa pagina non può essere aperta dalla tua rete.',
};
