// The texts of the element in French.
import type { Texts } from './en.js';

const texts: Texts = {
  title: 'Contrôle de sécurité',
  idle: 'En attente.',
  solving: 'Votre appareil s’en occupe…',
  ready: 'Terminé.',
  image_needed: 'Encore une étape : l’image ci-dessous.',
  effort_needed: 'Votre appareil effectue le calcul supplémentaire…',
  waiting: 'Trop de requêtes. Veuillez patienter {time}.',
  waiting_service: 'Le contrôle de sécurité n’est pas disponible pour le moment. Prochain essai dans {time}.',
  rate_limited: 'Trop de requêtes. Le contrôle reprendra dans un instant.',
  offline: 'Vous êtes hors ligne. Le contrôle de sécurité reprendra dès que vous serez de nouveau en ligne.',
  no_answer: 'Le contrôle de sécurité ne répond pas. Un nouvel essai suivra automatiquement.',
  unavailable:
    'Le contrôle de sécurité n’est pas disponible pour le moment. Un nouvel essai suivra automatiquement.',
  wrong_setup:
    'Le contrôle de sécurité de ce site n’est pas configuré correctement. Veuillez en informer les responsables du site.',
  gave_up: 'Votre appareil n’a pas pu terminer le contrôle. Veuillez réessayer.',
  failed: 'Le contrôle de sécurité n’a pas fonctionné. Veuillez réessayer.',
  retry: 'Réessayer',
  confirm: 'Valider',
  slow: 'Cela prend plus de temps ici : le navigateur ou cette page ne permet pas de calculer vite.',
  label: 'Caractères de l’image',
  characters: 'Caractères possibles : {characters}',
  alt: 'Lettres et chiffres déformés, à saisir dans le champ ci-dessous',
  image_shown: 'Veuillez aussi saisir les caractères de l’image.',
  new_image: 'Nouvelle image',
  wrong: 'Cette réponse n’a pas été acceptée. Veuillez saisir les caractères de cette nouvelle image.',
  expired: 'Le délai pour cette image est écoulé. Veuillez en demander une nouvelle.',
  image_failed:
    'L’image ne peut pas être affichée. Veuillez en demander une nouvelle ; si cela ne suffit pas, informez-en les responsables du site.',
  choose_effort: 'Je ne peux pas lire cette image : mon appareil calculera à la place',
  effort_time: 'Cela prend {time} sur cet appareil.',
  effort: 'Calcul supplémentaire à la place de l’image',
  effort_left: 'Étape {part} sur {parts}, encore {time}',
  effort_started:
    'Votre appareil calcule à la place de l’image. Vous pouvez continuer à remplir le formulaire.',
  effort_done: 'Terminé : aucune image n’est nécessaire.',
  choose_image: 'Afficher plutôt une image',
  about: 'environ {time}',
  few_seconds: 'quelques secondes',
  not_ready: 'Un instant : le contrôle de sécurité est encore en cours.',
  missing: 'Veuillez saisir les caractères de l’image.',
  delayed: 'Le formulaire sera envoyé dès que le contrôle de sécurité sera terminé.',
  ready_again: 'Le contrôle de sécurité est terminé.',
};

export default texts;
