// The texts of the element in Dutch.
import type { Texts } from './en.js';

const texts: Texts = {
  title: 'Beveiligingscontrole',
  idle: 'In afwachting.',
  solving: 'Uw apparaat is ermee bezig…',
  ready: 'Klaar.',
  image_needed: 'Nog één stap: de afbeelding hieronder.',
  effort_needed: 'Uw apparaat doet het extra rekenwerk…',
  waiting: 'Te veel verzoeken. Wacht alstublieft {time}.',
  waiting_service: 'De beveiligingscontrole is op dit moment niet beschikbaar. Volgende poging over {time}.',
  rate_limited: 'Te veel verzoeken. De controle gaat zo verder.',
  offline: 'U bent offline. De beveiligingscontrole gaat verder zodra u weer online bent.',
  no_answer: 'De beveiligingscontrole reageert niet. Er volgt vanzelf een nieuwe poging.',
  unavailable:
    'De beveiligingscontrole is op dit moment niet beschikbaar. Er volgt vanzelf een nieuwe poging.',
  wrong_setup:
    'De beveiligingscontrole van deze site is niet goed ingesteld. Laat dit de beheerder van de site weten.',
  gave_up: 'Uw apparaat kon de controle niet voltooien. Probeer het opnieuw.',
  failed: 'De beveiligingscontrole is niet gelukt. Probeer het opnieuw.',
  retry: 'Opnieuw proberen',
  confirm: 'Bevestigen',
  slow: 'Het duurt hier langer: de browser of deze pagina staat snel rekenen niet toe.',
  label: 'Tekens in de afbeelding',
  characters: 'Mogelijke tekens: {characters}',
  alt: 'Vervormde letters en cijfers, over te nemen in het veld hieronder',
  image_shown: 'Typ ook de tekens uit de afbeelding.',
  new_image: 'Nieuwe afbeelding',
  wrong: 'Dat antwoord is niet geaccepteerd. Typ de tekens uit deze nieuwe afbeelding.',
  expired: 'Deze afbeelding is verlopen. Vraag een nieuwe aan.',
  image_failed:
    'De afbeelding kan niet worden getoond. Vraag een nieuwe aan; helpt dat niet, laat het dan de beheerder van de site weten.',
  choose_effort: 'Ik kan deze afbeelding niet lezen: laat in plaats daarvan mijn apparaat rekenen',
  effort_time: 'Dat duurt {time} op dit apparaat.',
  effort: 'Extra rekenwerk in plaats van de afbeelding',
  effort_left: 'Stap {part} van {parts}, nog {time}',
  effort_started: 'Uw apparaat rekent in plaats van de afbeelding. U kunt verdergaan met het formulier.',
  effort_done: 'Klaar: er is geen afbeelding nodig.',
  choose_image: 'Toch een afbeelding tonen',
  about: 'ongeveer {time}',
  few_seconds: 'een paar seconden',
  not_ready: 'Een ogenblik: de beveiligingscontrole is nog bezig.',
  missing: 'Typ de tekens uit de afbeelding.',
  delayed: 'Het formulier wordt verzonden zodra de beveiligingscontrole klaar is.',
  ready_again: 'De beveiligingscontrole is klaar.',
};

export default texts;
