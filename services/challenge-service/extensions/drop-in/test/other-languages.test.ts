// Unmodified clients in other languages, from Debian. They send GET requests, and some search the response text.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { embeddedStore } from '@tollgate/test-support/stores.js';
import t from 'tap';
import { openSites, SECRETS } from './served-sites.js';

const run = promisify(execFile);

/** A client: its start command and its program, which prints `true` or `false`. */
interface Client {
  readonly name: string;
  readonly interpreter: string;
  readonly option: string;
  readonly program: string;
  /** Skipped without this package. */
  readonly aptPackage: string;
}

const interpreterOf = (variable: string, library: string, path: string) =>
  process.env[variable] ?? (existsSync(library) ? path : '');

const ruby = interpreterOf('RUBY_RECAPTCHA', '/usr/lib/ruby/vendor_ruby/recaptcha.rb', '/usr/bin/ruby');
const perl = interpreterOf('PERL_RECAPTCHA', '/usr/share/perl5/Captcha/reCAPTCHA.pm', '/usr/bin/perl');
const php = interpreterOf('PHP_RECAPTCHA', '/usr/share/php/ReCaptcha/ReCaptcha.php', '/usr/bin/php');
const python = interpreterOf(
  'PYTHON_REQUESTS',
  '/usr/lib/python3/dist-packages/requests/__init__.py',
  '/usr/bin/python3',
);

const CLIENTS: readonly Client[] = [
  {
    name: 'recaptcha of Ruby',
    interpreter: ruby,
    option: '-e',
    aptPackage: 'ruby-recaptcha',
    program: `
require 'recaptcha'
Recaptcha.configure do |config|
  config.secret_key = ENV['SECRET']
  config.verify_url = ENV['URL']
  config.hostname = 'shop.example'
end
class Controller
  include Recaptcha::Verify
  def params = { 'g-recaptcha-response' => ENV['RECEIPT'] }
  def request = Struct.new(:remote_ip).new('203.0.113.7')
end
puts Controller.new.verify_recaptcha`,
  },
  {
    // The library has a hard-coded URL, so the user agent rewrites it.
    name: 'Captcha::reCAPTCHA of Perl',
    interpreter: perl,
    option: '-e',
    aptPackage: 'libcaptcha-recaptcha-perl',
    program: `
use Captcha::reCAPTCHA;
my $new = \\&LWP::UserAgent::new;
no warnings 'redefine';
*LWP::UserAgent::new = sub {
  my $agent = $new->(@_);
  $agent->add_handler(request_prepare => sub { $_[0]->uri($ENV{URL}) });
  return $agent;
};
my $result = Captcha::reCAPTCHA->new->check_answer_v2($ENV{SECRET}, $ENV{RECEIPT}, '203.0.113.7');
print $result->{is_valid} ? 'true' : 'false';`,
  },
  {
    name: 'file_get_contents of PHP',
    interpreter: php,
    option: '-r',
    aptPackage: 'php-cli',
    program: `
$query = http_build_query(['secret' => getenv('SECRET'), 'response' => getenv('RECEIPT')]);
$answer = json_decode(file_get_contents(getenv('URL') . '?' . $query));
echo $answer->success ? 'true' : 'false';`,
  },
  {
    name: 'google/recaptcha of PHP',
    interpreter: php,
    option: '-r',
    aptPackage: 'php-google-recaptcha',
    program: `
require 'ReCaptcha/autoload.php';
$method = new \\ReCaptcha\\RequestMethod\\Post(getenv('URL'));
$client = new \\ReCaptcha\\ReCaptcha(getenv('SECRET'), $method);
$answer = $client->setExpectedHostname('shop.example')->verify(getenv('RECEIPT'), '203.0.113.7');
echo $answer->isSuccess() ? 'true' : 'false';`,
  },
  {
    name: 'requests.get of Python',
    interpreter: python,
    option: '-c',
    aptPackage: 'python3-requests',
    program: `
import os, requests
fields = {"secret": os.environ["SECRET"], "response": os.environ["RECEIPT"], "remoteip": None}
answer = requests.get(os.environ["URL"], params=fields).json()
print("true" if answer["success"] else "false")`,
  },
];

for (const { name, interpreter, option, program, aptPackage } of CLIENTS) {
  const skip = interpreter === '' && `not tested: install ${aptPackage}`;
  t.test(`${name} accepts a receipt once, and no other receipt`, { skip }, async (t) => {
    const sites = await openSites(t, embeddedStore(t).store);
    await sites.app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = sites.app.server.address() as AddressInfo;
    const URL = `http://127.0.0.1:${port}/api/captcha/recaptcha/api/siteverify`;
    const isGood = async (RECEIPT: string, SECRET: string = SECRETS.shop) => {
      const env = { PATH: process.env.PATH, URL, SECRET, RECEIPT };
      const { stdout } = await run(interpreter, [option, program], { env });
      return stdout.trim();
    };
    const receipt = await sites.receipt('shop', { api: 'recaptcha' });
    t.equal(await isGood(receipt, 'wrong'), 'false', 'with a wrong secret');
    t.equal(await isGood(receipt), 'true');
    t.equal(await isGood(receipt), 'false', 'spent');
    t.equal(await isGood('forged'), 'false', 'forged');
    t.equal(await isGood(await sites.receipt('forum')), 'false', 'of another site');
  });
}
