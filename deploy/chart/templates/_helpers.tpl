{{- define "mooring.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 52 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 52 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "mooring.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "mooring.labels" -}}
{{ include "mooring.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{/* The settings file: the public addresses, then the settings of the values, which win. */}}
{{- define "mooring.settings" -}}
{{- $settings := dict "s3_endpoint" .Values.s3Address "registry_domain" (get (urlParse .Values.address) "host") }}
{{- range list "portal_url" "identity_url" "ingest_url" "query_url" "storage_url" "webhooks_url" }}
{{- $_ := set $settings . $.Values.address }}
{{- end }}
{{- mergeOverwrite $settings .Values.settings | toPrettyJson }}
{{- end }}
