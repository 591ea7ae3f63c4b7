"""Checks what lies here without a cluster: `pip install -r deploy/requirements.txt && python3 deploy/check.py`.

The chart is rendered by Helm's own code with several sets of values, and every manifest held against the schemas of Kubernetes, strictly;
compose.yaml is read as the specification has it. A manifest of KEDA has no schema there, and is looked at in a few fields.
"""

import json
import re
import sys
from pathlib import Path

import compose_spec
import kubernetes_validate
import yaml
from helm_python import Chart, lint

HERE = Path(__file__).parent
KUBERNETES = "1.31"

VALUES = [
    {},
    {
        "settings": {"result_retention_s": "86400"},
        "imagePullSecrets": [{"name": "registry"}],
        "ingress": {"enabled": True, "className": "nginx", "tlsSecret": "tls"},
        "keda": {"enabled": True},
        "worker": {"nodeSelector": {"disk": "fast"}, "tolerations": [{"key": "sound", "operator": "Exists"}]},
        "gpuWorker": {"enabled": True, "replicas": 3},
    },
    {"networkPolicy": {"enabled": False}},
]


def manifests(values):
    """All manifests that the chart makes of the values."""
    chart = Chart.load(str(HERE / "helm/vocalhost"))
    rendered = chart.render(values, name="voices", namespace="sound")
    for path, text in sorted(rendered.items()):
        for manifest in yaml.safe_load_all(text):
            if manifest:
                yield path, manifest


def names(kind, found):
    return {one["metadata"]["name"] for _, one in found if one["kind"] == kind}


def check(values):
    found = list(manifests(values))
    for path, manifest in found:
        if manifest["apiVersion"].startswith("keda.sh/"):
            target = manifest["spec"]["scaleTargetRef"]["name"]
            assert target in names("Deployment", found), target
            assert manifest["spec"]["triggers"][0]["metadata"]["threshold"] == "30"
        else:
            kubernetes_validate.validate(manifest, KUBERNETES, strict=True)
    for _, manifest in found:
        if manifest["kind"] != "Deployment":
            continue
        pod = manifest["spec"]["template"]
        selector = manifest["spec"]["selector"]["matchLabels"]
        assert selector.items() <= pod["metadata"]["labels"].items(), selector
        container = pod["spec"]["containers"][0]
        variables = {one["name"]: one.get("value") for one in container["env"]}
        grace = float(variables["VOCALHOST_GRACE_PERIOD_S"])
        assert pod["spec"]["terminationGracePeriodSeconds"] > grace
        ports = {one["name"] for one in container["ports"]}
        for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
            assert container[probe]["httpGet"]["port"] in ports
        assert container["securityContext"]["readOnlyRootFilesystem"] is True
    if values.get("keda", {}).get("enabled"):
        workers = next(one for _, one in found if one["metadata"]["name"] == "voices-worker" and one["kind"] == "Deployment")
        assert "replicas" not in workers["spec"], "KEDA counts them"
    if values.get("gpuWorker", {}).get("enabled"):
        workers = next(one for _, one in found if one["metadata"]["name"] == "voices-gpu-worker" and one["kind"] == "Deployment")
        assert workers["spec"]["replicas"] == 3
        container = workers["spec"]["template"]["spec"]["containers"][0]
        assert container["image"].endswith("-cuda13"), container["image"]
        assert container["resources"]["limits"]["nvidia.com/gpu"] == 1
    return len(found)


def main():
    for values in VALUES:
        print(f"{check(values)} manifests hold")
    report = lint(str(HERE / "helm/vocalhost"), strict=True)
    faults = [one for one in report["messages"] if one["severity"] > 1] + report["errors"]
    assert not faults, faults
    # The reader of the specification neither puts variables in nor merges mappings, which every tool does before.
    text = re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", (HERE / "compose.yaml").read_text())
    read = yaml.safe_load(re.sub(r"\$\{\w+:\?[^}]*\}", "secret", text))
    compose_spec.PyCompose.from_yaml(json.dumps(read))
    for name, service in read["services"].items():
        for other in service.get("depends_on", {}):
            assert other in read["services"], f"{name} needs {other}"
    print(f"{len(read['services'])} services hold")


if __name__ == "__main__":
    sys.exit(main())
