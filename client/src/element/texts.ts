// The texts of the element in its three languages, and which language an element uses.

const en = {
  title: 'Security check',
  idle: 'Waiting.',
  solving: 'Your device is working on it…',
  ready: 'Done.',
  image_needed: 'One more step: the image below.',
  effort_needed: 'Your device is doing the extra work…',
  waiting: 'Too many requests. Please wait {time}.',
  wait_over: 'You can try again now.',
  offline: 'The security check cannot be reached. Are you online?',
  unavailable: 'The security check is not available at the moment.',
  wrong_setup: 'The security check of this site is not set up correctly.',
  gave_up: 'Your device could not finish the check. Please try again.',
  failed: 'The security check has failed.',
  retry: 'Try again',
  slow: 'Slower here than it could be: the browser or this page does not allow fast computing.',
  label: 'Characters in the image',
  alt: 'Distorted letters and digits, to be typed in the field below',
  image_shown: 'Please also type the characters in the image.',
  new_image: 'New image',
  expired: 'This image has expired. Please request a new one.',
  image_failed: 'The image cannot be shown. Please request a new one.',
  choose_effort: 'I cannot read this image: let my device work instead',
  effort_time: 'That takes {time} on this device.',
  effort: 'Extra work in place of the image',
  effort_left: 'Step {part} of {parts}, {time} left',
  effort_started: 'Your device is working in place of the image. You can go on with the form.',
  effort_done: 'Done: no image is needed.',
  choose_image: 'Show me an image instead',
  about: 'about {time}',
  few_seconds: 'a few seconds',
  not_ready: 'One moment, please: the security check is still running.',
  missing: 'Please type the characters in the image.',
  delayed: 'The form will be sent as soon as the security check is done.',
  ready_again: 'The security check is done.',
};

/** The name of a text. */
export type TextKey = keyof typeof en;
export type Texts = Readonly<Record<TextKey, string>>;

const fr: Texts = {
  title: 'Contrôle de sécurité',
  idle: 'En attente.',
  solving: 'Votre appareil s’en occupe…',
  ready: 'Terminé.',
  image_needed: 'Encore une étape : l’image ci-dessous.',
  effort_needed: 'Votre appareil effectue le calcul supplémentaire…',
  waiting: 'Trop de requêtes. Veuillez patienter {time}.',
  wait_over: 'Vous pouvez réessayer maintenant.',
  offline: 'Le contrôle de sécurité est injoignable. Êtes-vous en ligne ?',
  unavailable: 'Le contrôle de sécurité n’est pas disponible pour le moment.',
  wrong_setup: 'Le contrôle de sécurité de ce site n’est pas configuré correctement.',
  gave_up: 'Votre appareil n’a pas pu terminer le contrôle. Veuillez réessayer.',
  failed: 'Le contrôle de sécurité a échoué.',
  retry: 'Réessayer',
  slow: 'Plus lent ici que possible : le navigateur ou cette page ne permet pas de calculer vite.',
  label: 'Caractères de l’image',
  alt: 'Lettres et chiffres déformés, à saisir dans le champ ci-dessous',
  image_shown: 'Veuillez aussi saisir les caractères de l’image.',
  new_image: 'Nouvelle image',
  expired: 'Le délai pour cette image est écoulé. Veuillez en demander une nouvelle.',
  image_failed: 'L’image ne peut pas être affichée. Veuillez en demander une nouvelle.',
  choose_effort: 'Je ne peux pas lire cette image : mon appareil calculera à la place',
  effort_time: 'Cela prend {time} sur cet appareil.',
  effort: 'Calcul supplémentaire à la place de l’image',
  effort_left: 'Étape {part} sur {parts}, encore {time}',
  effort_started: 'Votre appareil calcule à la place de l’image. Vous pouvez continuer le formulaire.',
  effort_done: 'Terminé : aucune image n’est nécessaire.',
  choose_image: 'Afficher plutôt une image',
  about: 'environ {time}',
  few_seconds: 'quelques secondes',
  not_ready: 'Un instant : le contrôle de sécurité est encore en cours.',
  missing: 'Veuillez saisir les caractères de l’image.',
  delayed: 'Le formulaire sera envoyé dès que le contrôle de sécurité sera terminé.',
  ready_again: 'Le contrôle de sécurité est terminé.',
};

const ar: Texts = {
  title: 'التحقق الأمني',
  idle: 'في الانتظار.',
  solving: 'جهازك يعمل على ذلك…',
  ready: 'تم.',
  image_needed: 'خطوة أخيرة: الصورة أدناه.',
  effort_needed: 'جهازك يؤدي العمل الإضافي…',
  waiting: 'عدد الطلبات كبير جدًا. يُرجى الانتظار {time}.',
  wait_over: 'يمكنك إعادة المحاولة الآن.',
  offline: 'تعذّر الوصول إلى التحقق الأمني. هل أنت متصل بالإنترنت؟',
  unavailable: 'التحقق الأمني غير متاح حاليًا.',
  wrong_setup: 'لم يُضبط التحقق الأمني في هذا الموقع ضبطًا صحيحًا.',
  gave_up: 'لم يتمكن جهازك من إكمال التحقق. يُرجى إعادة المحاولة.',
  failed: 'فشل التحقق الأمني.',
  retry: 'إعادة المحاولة',
  slow: 'أبطأ هنا مما يمكن: المتصفح أو هذه الصفحة لا يسمح بالحساب السريع.',
  label: 'الأحرف الظاهرة في الصورة',
  alt: 'أحرف لاتينية وأرقام مشوّهة، تُكتب في الحقل أدناه',
  image_shown: 'يُرجى أيضًا كتابة الأحرف الظاهرة في الصورة.',
  new_image: 'صورة جديدة',
  expired: 'انتهت مدة هذه الصورة. يُرجى طلب صورة جديدة.',
  image_failed: 'تعذّر عرض الصورة. يُرجى طلب صورة جديدة.',
  choose_effort: 'لا أستطيع قراءة هذه الصورة: ليعمل جهازي بدلًا من ذلك',
  effort_time: 'يستغرق ذلك {time} على هذا الجهاز.',
  effort: 'عمل إضافي بدلًا من الصورة',
  effort_left: 'الخطوة {part} من {parts}، يتبقى {time}',
  effort_started: 'جهازك يعمل بدلًا من الصورة. يمكنك متابعة تعبئة النموذج.',
  effort_done: 'تم: لا حاجة إلى صورة.',
  choose_image: 'أرني صورة بدلًا من ذلك',
  about: 'نحو {time}',
  few_seconds: 'بضع ثوانٍ',
  not_ready: 'لحظة من فضلك: التحقق الأمني ما زال جاريًا.',
  missing: 'يُرجى كتابة الأحرف الظاهرة في الصورة.',
  delayed: 'سيُرسل النموذج فور انتهاء التحقق الأمني.',
  ready_again: 'انتهى التحقق الأمني.',
};

/** The texts by language; English is the fallback. */
export const texts = { en, fr, ar } satisfies Record<string, Texts>;
export type Language = keyof typeof texts;

/** Fills the `{name}` placeholders of a text. */
export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (_place, name: string) => String(values[name] ?? ''));
}

/** The text direction of a language. */
export function directionOf(language: Language): 'ltr' | 'rtl' {
  return language === 'ar' ? 'rtl' : 'ltr';
}

/** Returns the language of the nearest `lang` attribute, also outside of shadow roots; English if there are no texts in it. */
export function languageOf(element: Element): Language {
  const primary = nearestTag(element).toLowerCase().split('-')[0] ?? '';
  return Object.hasOwn(texts, primary) ? (primary as Language) : 'en';
}

function nearestTag(element: Element): string {
  for (let at: Element | null = element; at !== null; ) {
    const holder: Element | null = at.closest('[lang]');
    if (holder !== null) return holder.getAttribute('lang') ?? '';
    const root: Node = at.getRootNode();
    at = root instanceof ShadowRoot ? root.host : null;
  }
  return '';
}
