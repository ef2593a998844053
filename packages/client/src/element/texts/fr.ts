// The texts of the element in French.
import type { Texts } from './en.js';

const texts: Texts = {
  title: 'Vérification de sécurité',
  idle: 'En attente.',
  solving: 'Votre appareil s’en occupe…',
  ready: 'Terminé.',
  image_needed: 'Encore une étape : l’image ci-dessous.',
  effort_needed: 'Votre appareil effectue le calcul supplémentaire…',
  waiting: 'Trop de requêtes. Veuillez patienter {time}.',
  waiting_service:
    'La vérification de sécurité n’est pas disponible pour le moment. Prochain essai dans {time}.',
  rate_limited: 'Trop de requêtes. La vérification reprendra dans un instant.',
  offline:
    'Vous êtes hors ligne. La vérification de sécurité reprendra dès que vous serez de nouveau en ligne.',
  no_answer: 'La vérification de sécurité ne répond pas. Un nouvel essai suivra automatiquement.',
  unavailable:
    'La vérification de sécurité n’est pas disponible pour le moment. Un nouvel essai suivra automatiquement.',
  wrong_setup:
    'La vérification de sécurité de ce site n’est pas configurée correctement. Veuillez en informer les responsables du site.',
  gave_up: 'Votre appareil n’a pas pu terminer la vérification. Veuillez réessayer.',
  failed: 'La vérification de sécurité n’a pas fonctionné. Veuillez réessayer.',
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
    'L’image ne peut pas être affichée. Veuillez en demander une nouvelle ; si cela ne suffit pas, informez-en les responsables du site.',
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
  not_ready: 'Un instant : la vérification de sécurité est encore en cours.',
  missing: 'Veuillez saisir les caractères de l’image.',
  delayed: 'Le formulaire sera envoyé dès que la vérification de sécurité sera terminée.',
  ready_again: 'La vérification de sécurité est terminée.',
};

export default texts;
