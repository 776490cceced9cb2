package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

// manifests are what `kubectl apply -k packaging/kubernetes` would send.
type manifests struct {
	nodes    appsv1.StatefulSet
	services map[string]corev1.Service
	secrets  map[string]corev1.Secret
	budget   policyv1.PodDisruptionBudget
	network  networkingv1.NetworkPolicy
}

// kubernetes builds the kustomization with keys and tokens. A field that Kubernetes
// does not know fails the test.
func kubernetes(t *testing.T) manifests {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(repository, "packaging/kubernetes"))); err != nil {
		t.Fatal(err)
	}
	keys := filepath.Join(dir, "keys")
	if err := os.RemoveAll(keys); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(keys, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"keys/ca.pem": "a", "keys/node.pem": "b", "keys/node-key.pem": "c", "keys/secret": "d",
		"tokens.env": "CDPHUB_CLIENT_TOKEN=client\nCDPHUB_HOST_TOKEN=host\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), dir)
	if err != nil {
		t.Fatal(err)
	}
	m := manifests{services: map[string]corev1.Service{}, secrets: map[string]corev1.Secret{}}
	for _, r := range built.Resources() {
		raw, err := r.AsYAML()
		if err != nil {
			t.Fatal(err)
		}
		read := func(into any) {
			if err := yaml.UnmarshalStrict(raw, into); err != nil {
				t.Fatalf("%s %s: %v", r.GetKind(), r.GetName(), err)
			}
		}
		switch r.GetKind() {
		case "StatefulSet":
			read(&m.nodes)
		case "Service":
			var s corev1.Service
			read(&s)
			m.services[s.Name] = s
		case "Secret":
			var s corev1.Secret
			read(&s)
			m.secrets[s.Name] = s
		case "PodDisruptionBudget":
			read(&m.budget)
		case "NetworkPolicy":
			read(&m.network)
		default:
			t.Errorf("there is a %s, which no test reads", r.GetKind())
		}
	}
	return m
}

// TestKubernetes wants the parts of the kustomization to fit each other, and the
// program: names, ports, labels, options, times.
func TestKubernetes(t *testing.T) {
	m := kubernetes(t)
	pod := m.nodes.Spec.Template
	if len(pod.Spec.Containers) != 1 {
		t.Fatalf("a pod has %d containers", len(pod.Spec.Containers))
	}
	c := pod.Spec.Containers[0]
	env := map[string]string{}
	for _, v := range c.Env {
		env[v.Name] = v.Value
	}

	t.Run("options", func(t *testing.T) { testOptions(t, m, c) })
	t.Run("labels", func(t *testing.T) {
		selectors := map[string]map[string]string{"the StatefulSet": m.nodes.Spec.Selector.MatchLabels, "the budget": m.budget.Spec.Selector.MatchLabels, "the network policy": m.network.Spec.PodSelector.MatchLabels}
		for name, s := range m.services {
			selectors[name] = s.Spec.Selector
		}
		for name, s := range selectors {
			if len(s) == 0 || !labels.SelectorFromSet(s).Matches(labels.Set(pod.Labels)) {
				t.Errorf("%s selects %v, and the pods have %v", name, s, pod.Labels)
			}
		}
		for _, from := range m.network.Spec.Ingress[1].From {
			if !labels.SelectorFromSet(from.PodSelector.MatchLabels).Matches(labels.Set(pod.Labels)) || len(from.PodSelector.MatchLabels) == 0 {
				t.Errorf("nodes may be reached from %v", from.PodSelector)
			}
		}
	})
	t.Run("ports", func(t *testing.T) {
		ports := map[string]int32{}
		for _, p := range c.Ports {
			ports[p.Name] = p.ContainerPort
		}
		for _, s := range m.services {
			for _, p := range s.Spec.Ports {
				if ports[p.TargetPort.StrVal] != p.Port {
					t.Errorf("%s has %d for %s, and the pod %v", s.Name, p.Port, p.TargetPort.StrVal, ports)
				}
			}
		}
		for option, name := range map[string]string{"CDPHUB_CLUSTER_ADDR": "cluster", "CDPHUB_DIRECTORY_ADDR": "directory"} {
			if env[option] != ":"+strconv.Itoa(int(ports[name])) {
				t.Errorf("%s=%s, and the port is %d", option, env[option], ports[name])
			}
		}
	})
	t.Run("directory", func(t *testing.T) {
		headless := m.services[m.nodes.Spec.ServiceName]
		if headless.Spec.ClusterIP != corev1.ClusterIPNone || !headless.Spec.PublishNotReadyAddresses || m.nodes.Spec.PodManagementPolicy != appsv1.ParallelPodManagement {
			t.Error("the nodes cannot find each other before they are ready")
		}
		var peers []string
		for i := range *m.nodes.Spec.Replicas {
			peers = append(peers, m.nodes.Name+"-"+strconv.Itoa(int(i))+"."+headless.Name+env["CDPHUB_DIRECTORY_ADDR"])
		}
		if got := env["CDPHUB_DIRECTORY_PEERS"]; got != strings.Join(peers, ",") {
			t.Errorf("the directory is at %s, want %q", got, peers)
		}
		if got := env["CDPHUB_CLUSTER_ADVERTISE"]; got != "$(POD_NAME)."+headless.Name+env["CDPHUB_CLUSTER_ADDR"] {
			t.Errorf("a node is at %s", got)
		}
		if most := m.budget.Spec.MaxUnavailable.IntValue(); most != 1 {
			t.Errorf("%d of three servers may be away, want 1", most)
		}
	})
	t.Run("end", func(t *testing.T) {
		drain, err := time.ParseDuration(env["CDPHUB_DRAIN"])
		const sendAway = 10 * time.Second // drainSpread of package server
		before := time.Duration(c.Lifecycle.PreStop.Sleep.Seconds) * time.Second
		if grace := time.Duration(*pod.Spec.TerminationGracePeriodSeconds) * time.Second; err != nil || before+drain+sendAway >= grace {
			t.Errorf("a node needs %v, %v and %v to end, and has %v (%v)", before, drain, sendAway, grace, err)
		}
	})
}

// testOptions wants variables that the documentation has, and keys and tokens from
// the secrets that the kustomization makes.
func testOptions(t *testing.T, m manifests, c corev1.Container) {
	options := map[string]bool{}
	for _, page := range []string{"docs/cluster.md", "docs/config.md"} {
		text, err := os.ReadFile(filepath.Join(repository, page))
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range regexp.MustCompile("(?m)^\\| `--([a-z-]+)").FindAllStringSubmatch(string(text), -1) {
			options["CDPHUB_"+strings.ToUpper(strings.ReplaceAll(found[1], "-", "_"))] = true
		}
	}
	for _, v := range c.Env {
		if strings.HasPrefix(v.Name, "CDPHUB_") && !options[v.Name] {
			t.Errorf("no option has the variable %s", v.Name)
		}
		if v.Name == "CDPHUB_INSECURE_BIND" && v.Value != "false" {
			t.Error("a node without tokens would listen")
		}
	}
	tokens := m.secrets[c.EnvFrom[0].SecretRef.Name]
	for _, name := range []string{"CDPHUB_CLIENT_TOKEN", "CDPHUB_HOST_TOKEN"} {
		if len(tokens.Data[name]) == 0 || !options[name] {
			t.Errorf("there is no %s", name)
		}
	}
	volumes := m.nodes.Spec.Template.Spec.Volumes
	at := slices.IndexFunc(volumes, func(v corev1.Volume) bool { return v.Secret != nil })
	if at < 0 || volumes[at].Name != c.VolumeMounts[0].Name || c.VolumeMounts[0].MountPath != "/keys" {
		t.Fatalf("the keys are not there: %v", c.VolumeMounts)
	}
	keys := m.secrets[volumes[at].Secret.SecretName]
	for _, name := range []string{"ca.pem", "node.pem", "node-key.pem", "secret"} {
		if len(keys.Data[name]) == 0 {
			t.Errorf("the keys have no %s", name)
		}
	}
	if mode := *volumes[at].Secret.DefaultMode; mode&0o007 != 0 {
		t.Errorf("everybody in the container reads the keys: %o", mode)
	}
}
