{{- define "apf-console.labels" -}}
app.kubernetes.io/name: apf-console
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
