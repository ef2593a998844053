// French texts.

import type { MessageKey } from './en.js';

export const fr: Record<MessageKey, string> = {
  validation_failed: 'Certaines données sont manquantes ou incorrectes.',
  malformed_json: 'La requête ne contient pas de JSON valide.',
  unsupported_media_type: 'Ce type de contenu n’est pas accepté ici.',
  body_too_large: 'La requête est trop volumineuse.',
  not_found: 'Il n’y a rien à cette adresse.',
  bad_request: 'La requête est incompréhensible.',
  rate_limited: 'Trop de requêtes. Veuillez patienter un instant.',
  store_unavailable: 'Le service est momentanément indisponible. Veuillez réessayer dans quelques instants.',
  overloaded: 'Le service est très sollicité. Veuillez réessayer dans quelques instants.',
  origin_refused: 'Les requêtes provenant de ce site ne sont pas acceptées.',
  internal_error: 'Une erreur s’est produite de notre côté.',
  host_key_invalid: 'La clé de l’hôte est absente ou incorrecte.',
  api_key_invalid: 'La clé d’API est absente ou incorrecte.',

  pow_invalid: 'La vérification de sécurité a échoué. Veuillez réessayer.',
  pow_insufficient: 'La vérification de sécurité doit être refaite. Cela peut prendre un moment.',
  captcha_invalid: 'La vérification supplémentaire a échoué. Veuillez en essayer une nouvelle.',
  captcha_required: 'Veuillez aussi effectuer la vérification supplémentaire.',
  preset_refused: 'Veuillez compléter la vérification supplémentaire que ce formulaire demande.',
  unknown_preset: 'Il n’existe pas de défi portant ce nom.',
  no_image_library: 'Les images ne peuvent pas être générées pour le moment.',
  image_unavailable: 'Cette image ne peut pas être générée pour le moment. Veuillez en demander une autre.',

  login_failed: 'L’adresse e-mail ou le mot de passe est incorrect.',
  login_throttled: 'Trop de tentatives infructueuses. Veuillez patienter avant de réessayer.',
  code_invalid: 'Cette connexion n’est plus valable. Veuillez vous reconnecter.',
  unknown_user: 'Cet utilisateur n’existe pas.',
  user_disabled: 'Cet utilisateur est désactivé.',
  token_invalid: 'Veuillez vous connecter.',
  session_expired: 'Votre session a expiré. Veuillez vous reconnecter.',
  session_revoked: 'Votre session a été fermée. Veuillez vous reconnecter.',
  binding_required:
    'Votre navigateur n’a pas prouvé que cette session est la sienne. Veuillez vous reconnecter.',
  registration_invalid: 'L’enregistrement du navigateur n’est pas valide.',
  signature_required: 'Le navigateur doit signer un défi.',
  binding_conflict: 'Cette session est liée à une autre clé.',
  cookie_conflict: 'Votre navigateur a envoyé deux sessions différentes. Veuillez vous reconnecter.',

  required: 'Ce champ est obligatoire.',
  type: 'Cette valeur n’est pas du bon type.',
  too_short: 'Cette valeur est trop courte (longueur minimale : {limit}).',
  too_long: 'Cette valeur est trop longue (longueur maximale : {limit}).',
  out_of_range: 'Cette valeur est hors des limites autorisées.',
  malformed: 'Cette valeur n’a pas le bon format.',
  unknown_field: 'Ce champ est inconnu.',
  wrong_answer: 'La réponse à la vérification supplémentaire n’est pas correcte.',
  wrong_work: 'La vérification de sécurité n’a pas été résolue.',
  insufficient_work: 'La vérification de sécurité était trop facile pour ce compte.',
  work_too_easy: 'La vérification de sécurité était trop facile pour ce formulaire.',
  wrong_origin: 'Les pages de cette origine ne peuvent pas utiliser le service.',
  wrong_preset: 'Ce n’est pas la vérification supplémentaire que ce formulaire demande.',

  send_again: 'Veuillez revenir en arrière dans votre navigateur et renvoyer le formulaire.',
};
