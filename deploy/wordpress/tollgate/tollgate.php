<?php
/**
 * Plugin Name: Tollgate
 * Description: Guards comments, login, registration, password resets and your own forms with your Tollgate challenge service.
 * Version: 0.1.0
 * Requires at least: 6.1
 * Requires PHP: 7.4
 * License: MIT
 * Text Domain: tollgate
 */

defined( 'ABSPATH' ) || exit;

const TOLLGATE_FIELD = 'cf-turnstile-response';
/** Errors of siteverify that the visitor causes; all others are those of the service or of the settings. */
const TOLLGATE_REJECTIONS = array( 'missing-input-response', 'invalid-input-response', 'timeout-or-duplicate' );

function tollgate_forms() {
	return array(
		'comments'      => __( 'Comments', 'tollgate' ),
		'login'         => __( 'Login', 'tollgate' ),
		'registration'  => __( 'Registration', 'tollgate' ),
		'lost_password' => __( 'Lost password', 'tollgate' ),
	);
}

/** A setting: a constant of wp-config.php, such as TOLLGATE_SECRET, or the saved value. */
function tollgate_setting( $name ) {
	$constant = 'TOLLGATE_' . strtoupper( $name );
	return defined( $constant ) ? constant( $constant ) : ( (array) get_option( 'tollgate' ) )[ $name ] ?? '';
}

function tollgate_is_configured() {
	return tollgate_setting( 'url' ) && tollgate_setting( 'site_key' ) && tollgate_setting( 'secret' );
}

function tollgate_guards( $form ) {
	return tollgate_is_configured() && in_array( $form, (array) tollgate_setting( 'forms' ), true );
}

function tollgate_guards_comments() {
	return tollgate_guards( 'comments' ) && ! current_user_can( 'moderate_comments' );
}

function tollgate_service( $url ) {
	$url = untrailingslashit( $url );
	return wp_parse_url( $url, PHP_URL_PATH ) ? $url : $url . '/api/captcha';
}

/** The widget of a form; the same for all visitors, so that pages can be cached. */
function tollgate_field( $action ) {
	if ( ! tollgate_is_configured() ) {
		return '';
	}
	$script = tollgate_service( tollgate_setting( 'url' ) ) . '/turnstile/v0/api.js';
	wp_enqueue_script( 'tollgate', $script, array(), null, true );
	return sprintf(
		'<div class="cf-turnstile" data-sitekey="%s" data-action="%s" data-language="%s"%s></div><noscript><p>%s</p></noscript>',
		esc_attr( tollgate_setting( 'site_key' ) ),
		esc_attr( $action ),
		esc_attr( get_bloginfo( 'language' ) ),
		// The box of wp-login.php is narrower than the widget.
		did_action( 'login_init' ) ? ' style="margin:0 -15px 16px"' : '',
		esc_html__( 'This form needs JavaScript.', 'tollgate' )
	);
}

/** Calls siteverify. Returns its response, with one error code of ours if there is none. */
function tollgate_call( $receipt, $idempotency_key = '' ) {
	$body     = array(
		'secret'          => tollgate_setting( 'secret' ),
		'sitekey'         => tollgate_setting( 'site_key' ),
		'response'        => $receipt,
		'remoteip'        => $_SERVER['REMOTE_ADDR'] ?? '',
		'idempotency_key' => $idempotency_key,
	);
	$service  = tollgate_service( tollgate_setting( 'internal_url' ) ?: tollgate_setting( 'url' ) );
	$options  = array( 'timeout' => 5, 'redirection' => 0, 'body' => array_filter( $body ) );
	$response = wp_remote_post( $service . '/siteverify', $options );
	$verdict  = json_decode( wp_remote_retrieve_body( $response ), true );
	if ( isset( $verdict['success'] ) && 200 === wp_remote_retrieve_response_code( $response ) ) {
		return $verdict;
	}
	$reason = is_wp_error( $response ) ? $response->get_error_message() : __( 'unexpected response', 'tollgate' );
	return array( 'success' => false, 'error-codes' => array( $reason ) );
}

/**
 * Verifies the submitted form, whose widget has this action.
 *
 * @param string $action          As in the shortcode.
 * @param string $idempotency_key Lets the same submission be verified again.
 * @return true|WP_Error
 */
function tollgate_verify( $action, $idempotency_key = '' ) {
	static $verdicts = array();
	$receipt = $_POST[ TOLLGATE_FIELD ] ?? '';
	$receipt = is_string( $receipt ) ? sanitize_text_field( wp_unslash( $receipt ) ) : '';
	if ( isset( $verdicts[ "$action $receipt" ] ) ) {
		return $verdicts[ "$action $receipt" ];
	}
	$none    = array( 'success' => false, 'error-codes' => array( 'missing-input-response' ) );
	$verdict = '' === $receipt ? $none : tollgate_call( $receipt, $idempotency_key );
	$errors  = (array) ( $verdict['error-codes'] ?? array() );
	if ( true === $verdict['success'] && ( $verdict['action'] ?? '' ) === $action ) {
		$result = true;
	} elseif ( array_diff( $errors, TOLLGATE_REJECTIONS ) ) {
		error_log( 'Tollgate: ' . implode( ', ', $errors ) );
		$message = __( 'The security check is unavailable at the moment. Please try again shortly.', 'tollgate' );
		$result  = new WP_Error( 'tollgate_unavailable', esc_html( $message ), 503 );
	} else {
		$message = __( 'The security check failed or has expired. Please try again.', 'tollgate' );
		$result  = new WP_Error( 'tollgate_rejected', esc_html( $message ), 403 );
	}
	$verdicts[ "$action $receipt" ] = $result;
	return $result;
}

add_shortcode(
	'tollgate',
	fn( $given ) => tollgate_field( sanitize_key( shortcode_atts( array( 'action' => 'form' ), $given )['action'] ) )
);

add_filter(
	'comment_form_submit_field',
	fn( $html ) => ( tollgate_guards_comments() ? tollgate_field( 'comment' ) : '' ) . $html
);
add_filter( 'preprocess_comment', 'tollgate_check_comment', 0 );

/** Checks a comment of the form, after its other fields. */
function tollgate_check_comment( $comment ) {
	$verdict = did_action( 'pre_comment_on_post' ) && tollgate_guards_comments() ? tollgate_verify( 'comment' ) : true;
	if ( is_wp_error( $verdict ) ) {
		wp_die( $verdict, '', array( 'response' => $verdict->get_error_data(), 'back_link' => true ) );
	}
	return $comment;
}

add_action( 'login_form', fn() => print( tollgate_guards( 'login' ) ? tollgate_field( 'login' ) : '' ) );
add_filter( 'login_form_middle', fn( $html ) => $html . ( tollgate_guards( 'login' ) ? tollgate_field( 'login' ) : '' ) );
add_filter( 'authenticate', 'tollgate_check_login', 1, 3 );

/** Checks a login before its password. */
function tollgate_check_login( $user, $username, $password ) {
	if ( ! tollgate_guards( 'login' ) || '' === $username || '' === $password ) {
		return $user;
	}
	if ( defined( 'XMLRPC_REQUEST' ) && XMLRPC_REQUEST ) {
		// There, thousands of passwords fit into a request: only application passwords remain.
		tollgate_skip_passwords();
		return $user;
	}
	if ( ! isset( $_POST['log'], $_POST['pwd'] ) ) {
		return $user;
	}
	// Second factors send the same form twice.
	$receipt = $_POST[ TOLLGATE_FIELD ] ?? '';
	$verdict = tollgate_verify( 'login', wp_hash( wp_json_encode( array( $receipt, $username, $password ) ) ) );
	if ( true === $verdict ) {
		return $user;
	}
	$is_open = 'tollgate_unavailable' === $verdict->get_error_code()
		&& defined( 'TOLLGATE_ADMIN_FALLBACK' ) && TOLLGATE_ADMIN_FALLBACK;
	if ( ! $is_open ) {
		tollgate_skip_passwords();
	}
	$decide = fn( $user ) => $is_open && $user instanceof WP_User && user_can( $user, 'manage_options' ) ? $user : $verdict;
	add_filter( 'authenticate', $decide, PHP_INT_MAX );
	return $verdict;
}

function tollgate_skip_passwords() {
	remove_filter( 'authenticate', 'wp_authenticate_username_password', 20 );
	remove_filter( 'authenticate', 'wp_authenticate_email_password', 20 );
}

add_action( 'register_form', fn() => print( tollgate_guards( 'registration' ) ? tollgate_field( 'registration' ) : '' ) );
add_filter( 'registration_errors', 'tollgate_check_registration', 99 );

/** Checks a registration, after its other fields. */
function tollgate_check_registration( $errors ) {
	if ( did_action( 'login_init' ) && tollgate_guards( 'registration' ) && ! $errors->has_errors() ) {
		$verdict = tollgate_verify( 'registration' );
		return true === $verdict ? $errors : $verdict;
	}
	return $errors;
}

add_action( 'lostpassword_form', fn() => print( tollgate_guards( 'lost_password' ) ? tollgate_field( 'lost_password' ) : '' ) );
add_action( 'lostpassword_post', 'tollgate_check_lost_password' );

/** Checks a request for a new password. A refusal does not reveal whether the account exists. */
function tollgate_check_lost_password( $errors ) {
	if ( ! did_action( 'login_init' ) || ! tollgate_guards( 'lost_password' ) ) {
		return;
	}
	$verdict = tollgate_verify( 'lost_password' );
	if ( is_wp_error( $verdict ) ) {
		array_map( array( $errors, 'remove' ), $errors->get_error_codes() );
		$errors->add( $verdict->get_error_code(), $verdict->get_error_message() );
	}
}

add_action( 'init', fn() => load_plugin_textdomain( 'tollgate', false, 'tollgate/languages' ) );
add_filter( 'gettext_tollgate', 'tollgate_translate', 10, 2 );

/** Translates what visitors read into the widget's language, unless the site has a translation of its own. */
function tollgate_translate( $translation, $text ) {
	static $texts;
	if ( $translation !== $text ) {
		return $translation;
	}
	$texts  ??= require __DIR__ . '/texts.php';
	$regions  = array( '/^zh-(hant|tw|hk|mo)\b.*/i', '/^pt-(pt|ao|ch|cv|gq|gw|lu|mo|mz|st|tl)\b.*/i' );
	$language = preg_replace( $regions, array( 'zh-Hant', 'pt-PT' ), get_bloginfo( 'language' ) );
	return $texts[ $text ][ $language ] ?? $texts[ $text ][ strtok( $language, '-' ) ] ?? $text;
}

add_action( 'admin_menu', fn() => add_options_page( 'Tollgate', 'Tollgate', 'manage_options', 'tollgate', 'tollgate_page' ) );
add_action(
	'admin_init',
	fn() => register_setting( 'tollgate', 'tollgate', array( 'sanitize_callback' => 'tollgate_sanitize' ) )
);
register_uninstall_hook( __FILE__, 'tollgate_uninstall' );

function tollgate_uninstall() {
	delete_option( 'tollgate' );
}

/** The settings, from the submitted page. An empty secret keeps the saved one. */
function tollgate_sanitize( $input ) {
	$input = (array) $input;
	$text  = fn( $name ) => is_string( $input[ $name ] ?? null ) ? sanitize_text_field( $input[ $name ] ) : '';
	$url   = fn( $name ) => untrailingslashit( esc_url_raw( $text( $name ), array( 'http', 'https' ) ) );

	$is_chosen = fn( $form ) => in_array( $form, (array) ( $input['forms'] ?? array() ), true );
	return array(
		'url'          => $url( 'url' ),
		'internal_url' => $url( 'internal_url' ),
		'site_key'     => preg_replace( '/[^\w-]/', '', $text( 'site_key' ) ),
		'secret'       => $text( 'secret' ) ?: ( (array) get_option( 'tollgate' ) )['secret'] ?? '',
		'forms'        => array_values( array_filter( array_keys( tollgate_forms() ), $is_chosen ) ),
	);
}

/** Whether the service accepts the secret. */
function tollgate_status() {
	if ( ! tollgate_is_configured() ) {
		return __( 'Not configured: no form is guarded.', 'tollgate' );
	}
	// Only a right secret has its response looked at.
	$errors = tollgate_call( 'none' )['error-codes'] ?? array();
	return array( 'invalid-input-response' ) === $errors
		? __( 'The service accepts the secret.', 'tollgate' )
		/* translators: %s: reason */
		: sprintf( __( 'The service cannot be used: %s. Guarded forms are refused.', 'tollgate' ), implode( ', ', $errors ) );
}

function tollgate_page() {
	$forms  = false === get_option( 'tollgate' ) ? array_keys( tollgate_forms() ) : (array) tollgate_setting( 'forms' );
	$fields = array(
		'url'          => array( 'url', __( 'Service address', 'tollgate' ), 'https://gate.example' ),
		'internal_url' => array( 'url', __( 'Internal address, if different', 'tollgate' ), 'http://127.0.0.1:3002' ),
		'site_key'     => array( 'text', __( 'Site key', 'tollgate' ), '' ),
		'secret'       => array( 'password', __( 'Secret', 'tollgate' ), tollgate_setting( 'secret' ) ? __( '(unchanged)', 'tollgate' ) : '' ),
	);
	?>
	<div class="wrap"><h1>Tollgate</h1><p><strong><?php echo esc_html( tollgate_status() ); ?></strong></p>
	<form method="post" action="options.php"><?php settings_fields( 'tollgate' ); ?>
	<table class="form-table" role="presentation">
	<?php foreach ( $fields as $name => list( $type, $label, $placeholder ) ) : ?>
		<tr><th scope="row"><label for="tollgate-<?php echo esc_attr( $name ); ?>"><?php echo esc_html( $label ); ?></label></th><td>
		<input class="regular-text" id="tollgate-<?php echo esc_attr( $name ); ?>" name="tollgate[<?php echo esc_attr( $name ); ?>]"
			type="<?php echo esc_attr( $type ); ?>" placeholder="<?php echo esc_attr( $placeholder ); ?>" autocomplete="off"
			value="<?php echo esc_attr( 'password' === $type ? '' : tollgate_setting( $name ) ); ?>"
			<?php disabled( defined( 'TOLLGATE_' . strtoupper( $name ) ) ); ?>></td></tr>
	<?php endforeach; ?>
		<tr><th scope="row"><?php esc_html_e( 'Guarded forms', 'tollgate' ); ?></th><td><fieldset>
		<?php foreach ( tollgate_forms() as $form => $label ) : ?>
			<label><input type="checkbox" name="tollgate[forms][]" value="<?php echo esc_attr( $form ); ?>"
				<?php checked( in_array( $form, $forms, true ) ); ?> <?php disabled( defined( 'TOLLGATE_FORMS' ) ); ?>>
				<?php echo esc_html( $label ); ?></label><br>
		<?php endforeach; ?></fieldset></td></tr>
	</table><?php submit_button(); ?></form></div>
	<?php
}
