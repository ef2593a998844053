{{/* Names and labels. Helpers about one service take a dict: `root`, and `name`, which is session or challenge. */}}

{{/* The name of a Service has 63 characters, the last of them `-challenge-service-admin`, and begins with a letter. */}}
{{- define "tollgate.fullname" -}}
{{- $name := .Release.Name -}}
{{- if not (contains .Chart.Name $name) }}{{ $name = printf "%s-%s" $name .Chart.Name }}{{ end -}}
{{- if regexMatch "^[0-9]" $name }}{{ $name = printf "%s-%s" .Chart.Name .Release.Name }}{{ end -}}
{{- $name | trunc 39 | trimSuffix "-" -}}
{{- end -}}

{{- define "tollgate.serviceName" -}}
{{ include "tollgate.fullname" .root }}-{{ .name }}-service
{{- end -}}

{{- define "tollgate.serviceAccountName" -}}
{{ default (include "tollgate.fullname" .) .Values.serviceAccount.name }}
{{- end -}}

{{- define "tollgate.labels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "tollgate.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .name }}-service
{{- end -}}

{{- define "tollgate.serviceLabels" -}}
{{ include "tollgate.labels" .root }}
app.kubernetes.io/component: {{ .name }}-service
{{- end -}}

{{/* Default ports of the services; nothing else in a pod uses them. */}}
{{- define "tollgate.publicPort" -}}{{ ternary 3001 3002 (eq .name "session") }}{{- end -}}
{{- define "tollgate.adminPort" -}}{{ ternary 9001 9002 (eq .name "session") }}{{- end -}}

{{- define "tollgate.image" -}}
{{- $image := (index .root.Values .name).image -}}
{{- if $image.digest -}}
{{ $image.repository }}@{{ $image.digest }}
{{- else -}}
{{ $image.repository }}:{{ default .root.Chart.AppVersion $image.tag }}
{{- end -}}
{{- end -}}
