<?php
require __DIR__ . '/tollgate.php';

$text = is_string($_POST['text'] ?? null) ? trim($_POST['text']) : '';
$verdict = ['status' => 200, 'message' => '', 'pow_scope' => ''];
$isSent = false;
if ($_SERVER['REQUEST_METHOD'] === 'POST') {
    // Your own rules first: a form that they reject costs no challenge.
    $verdict = strlen($text) < 10
        ? ['status' => 422, 'message' => 'Please write at least ten characters.'] + $verdict
        : tollgate_verify($_POST, $_SERVER['REMOTE_ADDR']);
    $isSent = $verdict['status'] === 200;
    // If sent, keep the message here.
}
http_response_code($verdict['status']);
header('Cache-Control: no-store');
?>
<!doctype html>
<html lang="en">
<title>Contact</title>
<script type="module" src="/api/captcha/tollgate.js"></script>
<?php if ($isSent): ?>
<p>Thank you.</p>
<?php else: ?>
<form method="post">
  <p role="alert"><?= htmlspecialchars($verdict['message']) ?></p>
  <label>Your message <textarea name="text" required><?= htmlspecialchars($text) ?></textarea></label>
  <tollgate-challenge pow-scope="<?= htmlspecialchars($verdict['pow_scope']) ?>"></tollgate-challenge>
  <button>Send</button>
</form>
<?php endif ?>
</html>
