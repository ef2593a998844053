{{/*
The environment of a service. Takes a dict: `root`, and `name`, which is session or challenge.
files/variables.json says which variables a service reads; it is written by `npm run docs`.
*/}}
{{- define "tollgate.environment" -}}
{{- $values := .root.Values -}}
{{- $known := .root.Files.Get "files/variables.json" | fromJson -}}
{{- $read := index $known .name -}}
{{- range $name, $value := $values.config }}
{{- if not (or (has $name $known.session) (has $name $known.challenge)) }}
{{- fail (printf "config: %s is no variable of the services, or one that the chart sets itself" $name) }}
{{- end }}
{{- end -}}
- { name: NODE_ENV, value: production }
- { name: BIND, value: "0.0.0.0" }
- { name: ADMIN_BIND, value: "0.0.0.0" }
- { name: PUBLIC_URL, value: {{ $values.publicUrl | quote }} }
{{- with $values.trustProxy }}
- { name: TRUST_PROXY, value: {{ . | quote }} }
{{- end }}
- { name: DRAIN_SECONDS, value: {{ $values.drainSeconds | quote }} }
{{- range $name, $value := $values.config }}
{{- if has $name $read }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- end }}
{{- range $name := include "tollgate.secrets" . | splitList " " }}
- name: {{ $name }}
  valueFrom:
    secretKeyRef:
{{- $reference := index $values.secretRefs $name }}
{{- if $reference }}
      name: {{ $reference.name }}
      key: {{ $reference.key }}
{{- else }}
      name: {{ $values.existingSecret }}
      key: {{ $name }}
{{- if has $name (list "SESSION_API_KEY" "HOST_API_KEY" "HOST_API_KEYS") }}
      optional: true
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{/* The secrets of a service, and no others: those of session-service are not in challenge-service. */}}
{{- define "tollgate.secrets" -}}
{{- if eq .name "session" -}}
CHALLENGE_SECRET CAPTCHA_CACHE_STORE ACCESS_SECRET REFRESH_SECRET ENCRYPTION_KEY STORE_URL USERS_URL SESSION_API_KEY
{{- else -}}
CHALLENGE_SECRET CAPTCHA_CACHE_STORE HOST_API_KEY HOST_API_KEYS
{{- end -}}
{{- end -}}
