import { digestRequest } from '../classify/classification.ts'
import { identityOf, accountName } from '../classify/identity.ts'
import type { RequestDigest } from '../request/match.ts'
import type { RequestSample } from '../contract/objects.ts'

/** Requests that keep a cluster alive, by purpose: a configuration must continue to serve each of them. */
export interface SystemGroup {
  readonly id: string
  readonly title: string
  readonly requests: readonly SystemRequest[]
}
export interface SystemRequest {
  /** The request and its sender: `a kubelet renews its lease`. */
  readonly label: string
  readonly request: RequestSample
  readonly digest: RequestDigest
}

const ANONYMOUS = 'system:anonymous'
const CONTROLLER_MANAGER = 'system:kube-controller-manager'
const SCHEDULER = 'system:kube-scheduler'
const NODE = 'system:node:node-1'
const account = (name: string): string => accountName('kube-system', name)

const CORE = '/api/v1'
const KUBE_SYSTEM = `${CORE}/namespaces/kube-system`
const DEFAULT = `${CORE}/namespaces/default`
const LEASES = '/apis/coordination.k8s.io/v1/namespaces'
const SYSTEM_LEASES = `${LEASES}/kube-system/leases`
const ENDPOINT_SLICES = '/apis/discovery.k8s.io/v1'
const REVIEWS = '/apis/authorization.k8s.io/v1/subjectaccessreviews'
const TOKEN_REVIEWS = '/apis/authentication.k8s.io/v1/tokenreviews'
const WATCH = '?watch=1&resourceVersion=1'

function asks(
  label: string,
  user: string,
  method: string,
  url: string,
  groups = identityOf(user).groups,
): SystemRequest {
  const request = { user, groups: [...groups], method, url }
  const read = digestRequest(request)
  if (!read.ok) throw new Error(`${label}: ${read.problem}`)
  return { label, request, digest: read.digest }
}

const MASTERS = ['system:masters', 'system:authenticated']

export const SYSTEM_GROUPS: readonly SystemGroup[] = [
  {
    id: 'probes',
    title: 'Health probes',
    requests: [
      // Upstream names the schema for them health-for-strangers: a load balancer and a kubelet’s probe have no
      // credentials.
      ...['/livez', '/readyz', '/healthz', '/readyz?verbose'].map((path) =>
        asks(`an unauthenticated client probes ${path}`, ANONYMOUS, 'GET', path),
      ),
      asks('a kubelet probes /livez', NODE, 'GET', '/livez'),
    ],
  },
  {
    id: 'leader-election',
    title: 'Leader election',
    requests: [
      asks(
        'kube-controller-manager renews its lease',
        CONTROLLER_MANAGER,
        'PUT',
        `${SYSTEM_LEASES}/kube-controller-manager`,
      ),
      asks(
        'kube-controller-manager reads its lease',
        CONTROLLER_MANAGER,
        'GET',
        `${SYSTEM_LEASES}/kube-controller-manager`,
      ),
      asks('kube-scheduler renews its lease', SCHEDULER, 'PUT', `${SYSTEM_LEASES}/kube-scheduler`),
      asks(
        'a controller in kube-system renews its lease',
        account('cloud-controller-manager'),
        'PUT',
        `${SYSTEM_LEASES}/cloud-controller-manager`,
      ),
    ],
  },
  {
    id: 'node-heartbeats',
    title: 'Node heartbeats',
    requests: [
      asks('a kubelet renews its node’s lease', NODE, 'PUT', `${LEASES}/kube-node-lease/leases/node-1`),
      asks('a kubelet writes its node’s status', NODE, 'PATCH', `${CORE}/nodes/node-1/status`),
      asks('a kubelet reads its node', NODE, 'GET', `${CORE}/nodes/node-1`),
    ],
  },
  {
    id: 'kubelets',
    title: 'Kubelets',
    requests: [
      asks('a kubelet watches its pods', NODE, 'GET', `${CORE}/pods${WATCH}&fieldSelector=spec.nodeName%3Dnode-1`),
      asks('a kubelet lists its pods', NODE, 'GET', `${CORE}/pods?fieldSelector=spec.nodeName%3Dnode-1&limit=500`),
      asks('a kubelet writes a pod’s status', NODE, 'PATCH', `${DEFAULT}/pods/web-1/status`),
      asks(
        'a kubelet watches a ConfigMap',
        NODE,
        'GET',
        `${DEFAULT}/configmaps${WATCH}&fieldSelector=metadata.name%3Dsettings`,
      ),
      asks('a kubelet requests a token', NODE, 'POST', `${DEFAULT}/serviceaccounts/web/token`),
      asks('a kubelet reviews a token', NODE, 'POST', TOKEN_REVIEWS),
      asks('a kubelet records an event', NODE, 'POST', `${DEFAULT}/events`),
    ],
  },
  {
    id: 'control-plane',
    title: 'Control plane',
    requests: [
      asks('kube-scheduler binds a pod', SCHEDULER, 'POST', `${DEFAULT}/pods/web-1/binding`),
      asks('kube-scheduler watches pods', SCHEDULER, 'GET', `${CORE}/pods${WATCH}`),
      asks('kube-controller-manager lists namespaces', CONTROLLER_MANAGER, 'GET', `${CORE}/namespaces`),
      asks(
        'kube-controller-manager requests a token',
        CONTROLLER_MANAGER,
        'POST',
        `${KUBE_SYSTEM}/serviceaccounts/job-controller/token`,
      ),
      asks(
        'the garbage collector deletes a pod',
        account('generic-garbage-collector'),
        'DELETE',
        `${DEFAULT}/pods/web-1`,
      ),
      asks('the node controller taints a node', account('node-controller'), 'PATCH', `${CORE}/nodes/node-1`),
      asks('the replica set controller creates a pod', account('replicaset-controller'), 'POST', `${DEFAULT}/pods`),
      asks(
        'the endpoint controller writes endpoints',
        account('endpoint-controller'),
        'PUT',
        `${DEFAULT}/endpoints/web`,
      ),
      asks(
        'the endpoint slice controller writes a slice',
        account('endpointslice-controller'),
        'PUT',
        `${ENDPOINT_SLICES}/namespaces/default/endpointslices/web-1`,
      ),
    ],
  },
  {
    id: 'kube-system',
    title: 'kube-system',
    requests: [
      asks('CoreDNS watches endpoint slices', account('coredns'), 'GET', `${ENDPOINT_SLICES}/endpointslices${WATCH}`),
      asks('CoreDNS watches services', account('coredns'), 'GET', `${CORE}/services${WATCH}`),
      asks(
        'kube-proxy watches endpoint slices',
        account('kube-proxy'),
        'GET',
        `${ENDPOINT_SLICES}/endpointslices${WATCH}`,
      ),
      asks('kube-proxy reads its node', account('kube-proxy'), 'GET', `${CORE}/nodes/node-1`),
    ],
  },
  {
    id: 'reviews',
    title: 'Access reviews',
    requests: [
      asks('metrics-server creates an access review', account('metrics-server'), 'POST', REVIEWS),
      asks('metrics-server creates a token review', account('metrics-server'), 'POST', TOKEN_REVIEWS),
      asks(
        'a server of another namespace creates an access review',
        'system:serviceaccount:extensions:apiserver',
        'POST',
        REVIEWS,
      ),
      asks(
        'a server of another namespace creates a token review',
        'system:serviceaccount:extensions:apiserver',
        'POST',
        TOKEN_REVIEWS,
      ),
    ],
  },
  {
    id: 'break-glass',
    title: 'Break-glass administrators',
    requests: [
      asks(
        'system:masters reads flow schemas',
        'admin',
        'GET',
        '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas',
        MASTERS,
      ),
      asks(
        'system:masters writes a priority level',
        'admin',
        'PATCH',
        '/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations/workload-low',
        MASTERS,
      ),
      asks('system:masters deletes a pod', 'admin', 'DELETE', `${DEFAULT}/pods/web-1`, MASTERS),
      asks('the API server sends itself a request', 'system:apiserver', 'GET', `${CORE}/services`, ['system:masters']),
    ],
  },
]
