{{/* The routes that deploy/gateway/Caddyfile has too. */}}

{{/* The host of publicUrl, without its port. */}}
{{- define "tollgate.host" -}}
{{ regexReplaceAll ":[0-9]+$" (urlParse .Values.publicUrl).host "" }}
{{- end -}}

{{/* The path of publicUrl, which the services do not see; empty for none. */}}
{{- define "tollgate.basePath" -}}
{{ trimSuffix "/" (urlParse .Values.publicUrl).path }}
{{- end -}}

{{/* Paths of session-service at which a browser waits for an answer before it refreshes anything: within 5 s, or 503. */}}
{{- define "tollgate.renewalPaths" -}}
/refresh/bind /refresh/renew
{{- end -}}

{{/* Paths of a service, separated by spaces; each stands for itself and all below it. Takes a dict: `root`, `name`. */}}
{{- define "tollgate.paths" -}}
{{- if eq .name "session" -}}
/login /refresh /logout /reauthenticate /password /sessions /profile /verify /.well-known/jwks.json
{{- else -}}
{{- $prefix := index .root.Values.config "CAPTCHA_ROUTES_PREFIX" -}}
/{{ default "api/captcha" $prefix | trimAll "/" }}
{{- end -}}
{{- end -}}
