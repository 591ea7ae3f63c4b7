{{- define "vocalhost.labels" -}}
app.kubernetes.io/name: vocalhost
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "vocalhost.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "vocalhost.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "vocalhost.security" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{- define "vocalhost.settings" -}}
- name: VOCALHOST_DATABASE
  valueFrom: { secretKeyRef: { name: {{ .Values.secretName }}, key: database } }
- name: AWS_ACCESS_KEY_ID
  valueFrom: { secretKeyRef: { name: {{ .Values.secretName }}, key: accessKeyId } }
- name: AWS_SECRET_ACCESS_KEY
  valueFrom: { secretKeyRef: { name: {{ .Values.secretName }}, key: secretAccessKey } }
- name: VOCALHOST_NODE_NAME
  valueFrom: { fieldRef: { fieldPath: metadata.name } }
- name: VOCALHOST_PUBLIC_URL
  value: {{ .Values.publicUrl | quote }}
- name: VOCALHOST_FILES
  value: {{ .Values.files | quote }}
- name: VOCALHOST_S3_ENDPOINT
  value: {{ .Values.s3Endpoint | quote }}
- name: VOCALHOST_S3_REGION
  value: {{ .Values.s3Region | quote }}
- name: VOCALHOST_FILES_PROXY
  value: {{ .Values.filesProxy | quote }}
- name: VOCALHOST_GRACE_PERIOD_S
  value: {{ .Values.gracePeriodSeconds | quote }}
- name: VOCALHOST_LOG_FORMAT
  value: json
- name: VOCALHOST_LISTEN
  value: "0.0.0.0:{{ .Values.api.port }}"
{{- range $name, $value := .Values.settings }}
- name: VOCALHOST_{{ $name | upper }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}

{{- define "vocalhost.probes" -}}
# The first start compiles the effects.
startupProbe:
  httpGet: { path: /livez, port: health }
  periodSeconds: 5
  failureThreshold: 60
livenessProbe:
  httpGet: { path: /livez, port: health }
  periodSeconds: 20
  timeoutSeconds: 5
readinessProbe:
  httpGet: { path: /readyz, port: health }
  periodSeconds: 5
  timeoutSeconds: 5
{{- end }}

{{- define "vocalhost.volumes" -}}
- name: data
  emptyDir: { sizeLimit: {{ . }} }
- name: tmp
  emptyDir: { sizeLimit: 1Gi }
{{- end }}

{{- define "vocalhost.mounts" -}}
- { name: data, mountPath: /data }
- { name: tmp, mountPath: /tmp }
{{- end }}
