{{/* The same routes as in deploy/gateway/Caddyfile. */}}

{{/* The host of publicUrl, without its port. */}}
{{- define "tollgate.host" -}}
{{- $host := regexReplaceAll ":[0-9]+$" (urlParse .Values.publicUrl).host "" | lower -}}
{{- if regexMatch "^([0-9.]+|\\[.*)$" $host -}}
{{- fail "a route needs a host name in publicUrl, not an address" -}}
{{- end -}}
{{- $host -}}
{{- end -}}

{{/* The path of publicUrl, which the services do not see; empty for none. */}}
{{- define "tollgate.basePath" -}}
{{ trimSuffix "/" (urlParse .Values.publicUrl).path }}
{{- end -}}

{{/* Key renewal paths of session-service: browsers delay all refreshes until the response, due within 5 s, else 503. */}}
{{- define "tollgate.renewalPaths" -}}
/refresh/bind /refresh/renew
{{- end -}}

{{/* Paths of a service, separated by spaces; each includes all paths below it. Takes a dict: `root`, `name`. */}}
{{- define "tollgate.paths" -}}
{{- if eq .name "session" -}}
/login /refresh /logout /reauthenticate /password /sessions /profile /verify /.well-known/jwks.json
{{- else -}}
{{- $prefix := index .root.Values.config "CAPTCHA_ROUTES_PREFIX" -}}
/{{ default "api/captcha" $prefix | trimAll "/" }}
{{- end -}}
{{- end -}}
