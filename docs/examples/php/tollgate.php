<?php
/** Verifies a submitted form: `status` is 200, 422 or 503; `message` and `pow_scope` are for the next page. */
function tollgate_verify(array $form, string $ip): array
{
    $isField = fn($value, $name) => in_array($name, ['pow_token', 'pow_nonce', 'captcha_token', 'captcha'], true)
        && is_string($value) && strlen($value) <= 2048;
    $submission = (object) array_filter($form, $isField, ARRAY_FILTER_USE_BOTH);
    $request = [
        'method' => 'POST',
        'header' => [
            'Authorization: Bearer ' . getenv('HOST_API_KEY'),
            'Content-Type: application/json',
            'Accept-Language: ' . ($_SERVER['HTTP_ACCEPT_LANGUAGE'] ?? 'en'),
        ],
        'content' => json_encode(compact('submission', 'ip'), JSON_INVALID_UTF8_SUBSTITUTE),
        'timeout' => 5,
        'follow_location' => 0,
    ];
    $url = (getenv('HOST_API_URL') ?: 'http://127.0.0.1:9002') . '/host/verify';
    $response = @file_get_contents($url, false, stream_context_create(['http' => $request]));
    $verdict = json_decode((string) $response, true);
    if (!is_bool($verdict['success'] ?? null)) {
        error_log('Tollgate: ' . (error_get_last()['message'] ?? 'unexpected response'));
        return ['status' => 503, 'message' => 'Please try again shortly.', 'pow_scope' => ''];
    }
    return ['status' => $verdict['success'] ? 200 : 422] + $verdict + ['message' => '', 'pow_scope' => ''];
}
