// The texts of the gate's page in Dutch.
import type { GateTexts } from './en.js';

export const nl: GateTexts = {
  title: 'Beveiligingscontrole',
  lead: '{site} gaat zo open: uw apparaat doet nog een korte berekening. U hoeft niets te doen.',
  lead_image: 'Typ eerst de tekens uit de afbeelding, dan gaat {site} open.',
  proceed: 'Doorgaan',
  stuck: 'Gebeurt er niets? De scripts van deze pagina konden niet worden geladen. Laad de pagina opnieuw.',
  no_script: 'JavaScript staat hier uit. Zet het aan voor deze site en laad de pagina opnieuw.',
  no_script_image: 'JavaScript staat hier uit. Typ in plaats daarvan de tekens uit de afbeelding.',
  label: 'Tekens in de afbeelding',
  alt: 'Vervormde letters en cijfers, over te nemen in het veld hieronder',
  wrong: 'Dat antwoord is niet geaccepteerd. Typ de tekens uit deze nieuwe afbeelding.',
  not_sent:
    'Wat u zojuist hebt verstuurd, is niet aangekomen. Ga na deze controle terug en verstuur het opnieuw.',
  back: 'Terug',
  done: 'Klaar. De pagina gaat open…',
  send_again: 'Klaar. Wat u eerder hebt verstuurd, is niet aangekomen: ga terug en verstuur het opnieuw.',
  not_kept:
    'De controle is gelukt, maar de site vraagt er opnieuw om. Sta cookies toe voor deze site en probeer het opnieuw.',
  moved:
    'De controle is gelukt, maar uw verbinding wisselt steeds van adres, waardoor de site er opnieuw om vraagt. Blijf op één netwerk en probeer het opnieuw.',
  wait: 'De controle moet even wachten. Die gaat vanzelf verder over:',
  retry: 'Opnieuw proberen',
  failed: 'De controle is niet gelukt. Probeer het opnieuw.',
  refused: 'Deze pagina kan niet vanuit uw netwerk worden geopend.',
};
