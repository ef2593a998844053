// The texts of the gate's page in French.
import type { GateTexts } from './en.js';

export const fr: GateTexts = {
  title: 'Vérification de sécurité',
  lead: '{site} va s’ouvrir : votre appareil effectue un court calcul. Vous n’avez rien à faire.',
  lead_image: 'Pour ouvrir {site}, veuillez saisir les caractères d’une image.',
  proceed: 'Continuer',
  stuck: 'Rien ne se passe ? Les scripts de cette page n’ont pas pu être chargés. Rechargez la page.',
  no_script: 'JavaScript est désactivé ici. Activez-le pour ce site, puis rechargez la page.',
  no_script_image: 'JavaScript est désactivé ici. Veuillez plutôt saisir les caractères de l’image.',
  label: 'Caractères de l’image',
  alt: 'Lettres et chiffres déformés, à saisir dans le champ ci-dessous',
  wrong: 'Cette réponse n’a pas été acceptée. Veuillez saisir les caractères de cette nouvelle image.',
  not_sent:
    'Ce que vous venez d’envoyer n’est pas arrivé. Après cette vérification, revenez en arrière et envoyez-le de nouveau.',
  back: 'Revenir en arrière',
  done: 'Terminé. La page s’ouvre…',
  send_again:
    'Terminé. Ce que vous aviez envoyé n’est pas arrivé : revenez en arrière et envoyez-le de nouveau.',
  not_kept:
    'La vérification est réussie, mais le site la redemande. Autorisez les cookies pour ce site, puis réessayez.',
  moved:
    'La vérification est réussie, mais votre connexion change sans cesse d’adresse et le site la redemande. Restez sur un seul réseau, puis réessayez.',
  wait: 'La vérification doit attendre un moment. Elle reprendra d’elle-même dans :',
  retry: 'Réessayer',
  failed: 'La vérification n’a pas fonctionné. Veuillez réessayer.',
  refused: 'Cette page ne peut pas être ouverte depuis votre réseau.',
};
