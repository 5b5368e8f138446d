"""Closed schemas of the Kubernetes objects in deploy/: a field that is not here was never meant."""

TEXT = {"type": "string", "minLength": 1}
NAME = {"type": "string", "pattern": r"^[a-z0-9]([a-z0-9-]*[a-z0-9])?$"}
NUMBER = {"type": "integer", "minimum": 0}
ALWAYS, NEVER = {"const": True}, {"const": False}
QUANTITY = {"type": "string", "pattern": r"^[0-9]+(m|Mi|Gi)?$"}
TEXTS = {"type": "object", "additionalProperties": TEXT}
EMPTY = {"type": "object", "maxProperties": 0}


def closed(required, **optional):
    return {"type": "object", "additionalProperties": False, "required": list(required),
            "properties": {**required, **optional}}


def many(items):
    return {"type": "array", "minItems": 1, "items": items}


LABELS = {**TEXTS, "required": ["app.kubernetes.io/name"]}
METADATA = closed({"name": NAME, "labels": LABELS})
SELECTOR = closed({"matchLabels": TEXTS})
RESOURCES = closed({"requests": closed({"memory": QUANTITY, "cpu": QUANTITY}),
                    "limits": closed({"memory": QUANTITY}, cpu=QUANTITY)})
PROBE = closed({"httpGet": closed({"path": {"enum": ["/healthz", "/readyz"]},
                                   "port": {"const": "http"}}), "periodSeconds": NUMBER},
               timeoutSeconds=NUMBER, failureThreshold=NUMBER)
VARIABLE = closed({"name": {"type": "string", "pattern": "^PENNYWORTH_[A-Z_]+$"}, "value": TEXT})
# What Pod Security Admission calls "restricted", and a root that is read-only.
CONTAINER_RIGHTS = closed({
    "allowPrivilegeEscalation": NEVER, "readOnlyRootFilesystem": ALWAYS,
    "capabilities": closed({"drop": {"const": ["ALL"]}})})
POD_RIGHTS = closed({
    "runAsNonRoot": ALWAYS, "runAsUser": {"const": 10001}, "runAsGroup": {"const": 10001},
    "fsGroup": {"const": 10001}, "seccompProfile": closed({"type": {"const": "RuntimeDefault"}})})
CONTAINER = closed(
    {"name": NAME, "image": {"type": "string", "pattern": r"^[a-z0-9./-]+:\d+\.\d+\.\d+$"},
     "args": many(TEXT), "env": many(VARIABLE), "securityContext": CONTAINER_RIGHTS,
     "resources": RESOURCES,
     "volumeMounts": many(closed({"name": NAME, "mountPath": TEXT}, readOnly=ALWAYS))},
    ports=many(closed({"name": NAME, "containerPort": NUMBER})),
    startupProbe=PROBE, livenessProbe=PROBE, readinessProbe=PROBE)
VOLUME = closed(
    {"name": NAME}, emptyDir=EMPTY, persistentVolumeClaim=closed({"claimName": NAME}),
    secret=closed({"secretName": NAME, "defaultMode": {"const": 0o440}},
                  items=many(closed({"key": TEXT, "path": TEXT}))))
APART = closed({"podAntiAffinity": closed({
    "requiredDuringSchedulingIgnoredDuringExecution": many(
        closed({"topologyKey": {"const": "kubernetes.io/hostname"},
                "labelSelector": SELECTOR}))})})
POD = closed(
    {"containers": many(CONTAINER), "volumes": many(VOLUME), "securityContext": POD_RIGHTS,
     "automountServiceAccountToken": NEVER, "enableServiceLinks": NEVER,
     "terminationGracePeriodSeconds": NUMBER},
    restartPolicy={"const": "Never"}, affinity=APART, nodeSelector=closed(
        {"node.kubernetes.io/instance-type": TEXT}))
TEMPLATE = closed({"metadata": closed({"labels": LABELS}), "spec": POD})
RULE = closed({"action": {"enum": ["Ignore", "FailJob", "Count"]}},
              onPodConditions=many(closed({"type": {"const": "DisruptionTarget"},
                                           "status": {"const": "True"}})),
              onExitCodes=closed({"containerName": NAME, "operator": {"enum": ["In", "NotIn"]},
                                  "values": many({"type": "integer", "minimum": 1})}))


def kind(group, name, **more):
    return closed({"apiVersion": {"const": group}, "kind": {"const": name}, "metadata": METADATA,
                   **more})


KINDS = {
    "PersistentVolumeClaim": kind("v1", "PersistentVolumeClaim", spec=closed(
        {"accessModes": {"const": ["ReadWriteOnce"]},
         "resources": closed({"requests": closed({"storage": QUANTITY})})})),
    "Deployment": kind("apps/v1", "Deployment", spec=closed(
        {"replicas": {"const": 1}, "strategy": closed({"type": {"const": "Recreate"}}),
         "selector": SELECTOR, "template": TEMPLATE})),
    "Service": kind("v1", "Service", spec=closed(
        {"selector": TEXTS, "ports": many(closed({"name": NAME, "port": NUMBER,
                                                  "targetPort": TEXT}))})),
    "Job": kind("batch/v1", "Job", spec=closed(
        {"backoffLimit": NUMBER, "activeDeadlineSeconds": NUMBER,
         "ttlSecondsAfterFinished": NUMBER, "podFailurePolicy": closed({"rules": many(RULE)}),
         "template": TEMPLATE})),
    "ServiceMonitor": kind("monitoring.coreos.com/v1", "ServiceMonitor", spec=closed(
        {"selector": SELECTOR, "endpoints": many(closed(
            {"port": NAME, "path": {"const": "/metrics"}, "interval": TEXT,
             "authorization": closed({"type": {"const": "Bearer"}, "credentials": closed(
                 {"name": NAME, "key": TEXT})})}))})),
}
