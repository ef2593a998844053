<?php
/**
 * What visitors read, in the widget's languages: by English text, then by language.
 *
 * Not in .mo files: WordPress would need one for each locale, such as de_AT and de_CH.
 */

defined( 'ABSPATH' ) || exit;

return array(
	'This form needs JavaScript.' => array(
		'ar'      => 'يحتاج هذا النموذج إلى JavaScript.',
		'de'      => 'Dieses Formular braucht JavaScript.',
		'es'      => 'Este formulario necesita JavaScript.',
		'fr'      => 'Ce formulaire a besoin de JavaScript.',
		'he'      => 'לטופס זה דרוש JavaScript.',
		'hi'      => 'इस फ़ॉर्म के लिए JavaScript ज़रूरी है।',
		'it'      => 'Questo modulo richiede JavaScript.',
		'ja'      => 'このフォームには JavaScript が必要です。',
		'nl'      => 'Dit formulier heeft JavaScript nodig.',
		'pl'      => 'Ten formularz wymaga JavaScriptu.',
		'pt'      => 'Este formulário precisa de JavaScript.',
		'pt-PT'   => 'Este formulário necessita de JavaScript.',
		'ru'      => 'Для этой формы нужен JavaScript.',
		'tr'      => 'Bu form için JavaScript gerekiyor.',
		'zh'      => '此表单需要 JavaScript。',
		'zh-Hant' => '此表單需要 JavaScript。',
	),
	'The security check is unavailable at the moment. Please try again shortly.' => array(
		'ar'      => 'التحقق الأمني غير متاح حاليًا. يُرجى إعادة المحاولة بعد قليل.',
		'de'      => 'Die Sicherheitsprüfung ist zurzeit nicht verfügbar. Bitte versuchen Sie es gleich noch einmal.',
		'es'      => 'El control de seguridad no está disponible en este momento. Inténtelo de nuevo en breve, por favor.',
		'fr'      => 'La vérification de sécurité n’est pas disponible pour le moment. Veuillez réessayer dans quelques instants.',
		'he'      => 'בדיקת האבטחה אינה זמינה כרגע. נא לנסות שוב בקרוב.',
		'hi'      => 'सुरक्षा जाँच इस समय उपलब्ध नहीं है। कृपया थोड़ी देर में फिर से कोशिश करें।',
		'it'      => 'Il controllo di sicurezza non è al momento disponibile. Riprova tra poco.',
		'ja'      => '現在、セキュリティチェックを利用できません。しばらくしてからもう一度お試しください。',
		'nl'      => 'De beveiligingscontrole is op dit moment niet beschikbaar. Probeer het zo opnieuw.',
		'pl'      => 'Weryfikacja bezpieczeństwa jest chwilowo niedostępna. Proszę wkrótce spróbować ponownie.',
		'pt'      => 'A verificação de segurança não está disponível no momento. Tente novamente em instantes.',
		'pt-PT'   => 'A verificação de segurança não está disponível neste momento. Tente novamente dentro de instantes, por favor.',
		'ru'      => 'Проверка безопасности сейчас недоступна. Пожалуйста, повторите попытку чуть позже.',
		'tr'      => 'Güvenlik kontrolü şu anda kullanılamıyor. Lütfen birazdan yeniden deneyin.',
		'zh'      => '安全验证目前不可用，请稍后重试。',
		'zh-Hant' => '安全驗證目前無法使用，請稍後再試。',
	),
	'The security check failed or has expired. Please try again.' => array(
		'ar'      => 'فشل التحقق الأمني أو انتهت صلاحيته. يُرجى المحاولة مرة أخرى.',
		'de'      => 'Die Sicherheitsprüfung ist fehlgeschlagen oder abgelaufen. Bitte versuchen Sie es noch einmal.',
		'es'      => 'El control de seguridad ha fallado o ha caducado. Inténtelo de nuevo, por favor.',
		'fr'      => 'La vérification de sécurité a échoué ou a expiré. Veuillez réessayer.',
		'he'      => 'בדיקת האבטחה נכשלה או שתוקפה פג. נא לנסות שוב.',
		'hi'      => 'सुरक्षा जाँच विफल रही या उसकी समय-सीमा समाप्त हो गई। कृपया फिर से कोशिश करें।',
		'it'      => 'Il controllo di sicurezza non è riuscito o è scaduto. Riprova.',
		'ja'      => 'セキュリティチェックに失敗したか、有効期限が切れています。もう一度お試しください。',
		'nl'      => 'De beveiligingscontrole is mislukt of verlopen. Probeer het opnieuw.',
		'pl'      => 'Weryfikacja bezpieczeństwa nie powiodła się lub straciła ważność. Proszę spróbować ponownie.',
		'pt'      => 'A verificação de segurança falhou ou expirou. Tente novamente.',
		'pt-PT'   => 'A verificação de segurança falhou ou expirou. Tente novamente, por favor.',
		'ru'      => 'Проверка безопасности не пройдена или устарела. Пожалуйста, попробуйте ещё раз.',
		'tr'      => 'Güvenlik kontrolü başarısız oldu veya süresi doldu. Lütfen yeniden deneyin.',
		'zh'      => '安全验证未通过或已过期，请重试。',
		'zh-Hant' => '安全驗證未通過或已過期，請再試一次。',
	),
);
