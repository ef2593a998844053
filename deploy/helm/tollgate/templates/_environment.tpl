{{/*
The environment of a service. Takes a dict: `root`, and `name`, which is session or challenge.
files/variables.json, written by `npm run docs`, lists each service's variables and their types.
*/}}
{{- define "tollgate.environment" -}}
{{- $values := .root.Values -}}
{{- $known := .root.Files.Get "files/variables.json" | fromJson -}}
{{- $read := index $known .name -}}
{{- range $name, $value := $values.config }}
{{- $form := default (index $known.challenge $name) (index $known.session $name) }}
{{- if not $form }}
{{- fail (printf "config: %s is not a variable of the services, or the chart sets it" $name) }}
{{- end }}
{{- $isRight := or (not $form.pattern) (regexMatch $form.pattern $value) }}
{{- if and $isRight (hasKey $form "minimum") }}{{ $isRight = ge (float64 $value) (float64 $form.minimum) }}{{ end }}
{{- if and $isRight (hasKey $form "maximum") }}{{ $isRight = le (float64 $value) (float64 $form.maximum) }}{{ end }}
{{- if not (or $isRight (eq $value "")) }}
{{- fail (printf "config: %s must be %s, not %q" $name $form.expected $value) }}
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
{{- if hasKey $read $name }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- end }}
{{- if include "tollgate.certificatesVolume" .root }}
- { name: NODE_EXTRA_CA_CERTS, value: {{ include "tollgate.certificatesFolder" . }}/{{ $values.caCertificates.key }} }
{{- end }}
{{- range $name := include "tollgate.secrets" . | splitList " " }}
- { name: {{ $name }}_FILE, value: {{ include "tollgate.secretsFolder" $ }}/{{ $name }} }
{{- end }}
{{- end -}}

{{/* Only the secrets of this service. */}}
{{- define "tollgate.secrets" -}}
{{- $values := .root.Values -}}
{{- $session := concat (list "CHALLENGE_SECRET" "CAPTCHA_CACHE_STORE") $values.accessKeys (list "REFRESH_SECRET" "ENCRYPTION_KEY" "STORE_URL" "USERS_URL") -}}
{{- $names := eq .name "session" | ternary $session (list "CHALLENGE_SECRET" "CAPTCHA_CACHE_STORE") -}}
{{- range $key := eq .name "session" | ternary (list "SESSION_API_KEY") (list "HOST_API_KEY" "HOST_API_KEYS") -}}
{{- if or (has $key $values.adminKeys) (hasKey $values.secretRefs $key) -}}
{{- $names = append $names $key -}}
{{- end -}}
{{- end -}}
{{- join " " $names -}}
{{- end -}}

{{/* Folder of the secret files in a container. */}}
{{- define "tollgate.secretsFolder" -}}/run/secrets/tollgate{{- end -}}

{{/* Sources of the volume with these files, each named after its variable. */}}
{{- define "tollgate.secretSources" -}}
{{- $values := .root.Values -}}
{{- range $name := include "tollgate.secrets" . | splitList " " }}
{{- $reference := default (dict "name" $values.existingSecret "key" $name) (index $values.secretRefs $name) }}
- secret: { name: {{ $reference.name }}, items: [{ key: {{ $reference.key }}, path: {{ $name }} }] }
{{- end }}
{{- end -}}

{{/* Folder of the certificates of an own authority in a container. */}}
{{- define "tollgate.certificatesFolder" -}}/run/certificates{{- end -}}

{{/* The volume of these certificates; empty without them. */}}
{{- define "tollgate.certificatesVolume" -}}
{{- $certificates := .Values.caCertificates -}}
{{- $items := list (dict "key" $certificates.key "path" $certificates.key) -}}
{{- if and $certificates.secret $certificates.configMap -}}
{{- fail "caCertificates: set secret or configMap, not both" -}}
{{- else if $certificates.secret -}}
secret: {{ dict "secretName" $certificates.secret "items" $items | toJson }}
{{- else if $certificates.configMap -}}
configMap: {{ dict "name" $certificates.configMap "items" $items | toJson }}
{{- end -}}
{{- end -}}
