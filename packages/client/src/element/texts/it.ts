// The texts of the element in Italian.
import type { Texts } from './en.js';

const texts: Texts = {
  title: 'Controllo di sicurezza',
  idle: 'In attesa.',
  solving: 'Il tuo dispositivo è al lavoro…',
  ready: 'Fatto.',
  image_needed: 'Ancora un passaggio: l’immagine qui sotto.',
  effort_needed: 'Il tuo dispositivo sta eseguendo il calcolo aggiuntivo…',
  waiting: 'Troppe richieste. Attendi {time}.',
  waiting_service: 'Il controllo di sicurezza non è al momento disponibile. Nuovo tentativo tra {time}.',
  rate_limited: 'Troppe richieste. Il controllo riprenderà tra un attimo.',
  offline:
    'Connessione a Internet assente. Il controllo di sicurezza riprenderà al ritorno della connessione.',
  no_answer: 'Il controllo di sicurezza non risponde. Seguirà automaticamente un nuovo tentativo.',
  unavailable:
    'Il controllo di sicurezza non è al momento disponibile. Seguirà automaticamente un nuovo tentativo.',
  wrong_setup:
    'Il controllo di sicurezza di questo sito non è configurato correttamente. Avvisa i gestori del sito.',
  gave_up: 'Il tuo dispositivo non è riuscito a completare il controllo. Riprova.',
  failed: 'Il controllo di sicurezza non ha funzionato. Riprova.',
  retry: 'Riprova',
  confirm: 'Conferma',
  slow: 'Qui ci vuole più tempo: il browser o questa pagina non consente calcoli veloci.',
  label: 'Caratteri dell’immagine',
  characters: 'Caratteri possibili: {characters}',
  alt: 'Lettere e cifre distorte, da scrivere nel campo qui sotto',
  image_shown: 'Scrivi anche i caratteri dell’immagine.',
  new_image: 'Nuova immagine',
  wrong: 'La risposta non è stata accettata. Scrivi i caratteri di questa nuova immagine.',
  expired: 'L’immagine è scaduta. Richiedine una nuova.',
  image_failed:
    'Impossibile mostrare l’immagine. Richiedine una nuova o, se non basta, avvisa i gestori del sito.',
  choose_effort: 'Non riesco a leggere l’immagine: fai calcolare il mio dispositivo',
  effort_time: 'Su questo dispositivo richiede {time}.',
  effort: 'Calcolo aggiuntivo al posto dell’immagine',
  effort_left: 'Passaggio {part} di {parts}, tempo rimanente: {time}',
  effort_started:
    'Il tuo dispositivo sta calcolando al posto dell’immagine. Puoi continuare a compilare il modulo.',
  effort_done: 'Fatto: non serve alcuna immagine.',
  choose_image: 'Mostra invece un’immagine',
  about: 'circa {time}',
  few_seconds: 'qualche secondo',
  not_ready: 'Un momento: il controllo di sicurezza è ancora in corso.',
  missing: 'Scrivi i caratteri dell’immagine.',
  delayed: 'Il modulo sarà inviato appena terminato il controllo di sicurezza.',
  ready_again: 'Il controllo di sicurezza è terminato.',
};

export default texts;
