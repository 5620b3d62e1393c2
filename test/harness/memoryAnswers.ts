import type { PrometheusServers, PrometheusTarget } from '../../core/contract/prometheus.ts'
import type { ServerFrame } from '../../core/frame/frame.ts'
import type {
  CapabilityResult,
  FoundContext,
  PermissionReport,
  ServerHealth,
  Target,
} from '../../core/contract/source.ts'

export const foundContexts: FoundContext[] = [
  context('prod-eu-1', 'https://10.20.0.10:6443', true),
  context('tenants-eu-2', 'https://10.40.0.10:6443', false),
  context('kind-dev', 'https://127.0.0.1:41733', false),
  { ...context('prod-eu-1.old', 'https://10.20.9.10:6443', false), problem: 'its client certificate file is missing' },
]

function context(name: string, server: string, current: boolean): FoundContext {
  return { file: '~/.kube/config', context: name, cluster: name, server, user: `${name}-viewer`, current }
}

const results: CapabilityResult[] = [
  allowed('version', 'Version', 'GET /version', 'v1.36.3'),
  allowed('metrics', 'Seats, limits, demand', 'GET /metrics', '31 of 31 families'),
  allowed('list-objects', 'Levels and schemas', 'list flowcontrol v1', '8 levels, 13 schemas'),
  allowed('watch-objects', 'Live changes', 'watch flowcontrol v1', 'allowed'),
  allowed('dump-levels', 'Levels in detail', 'GET …/dump_priority_levels', 'allowed'),
  { ...allowed('dump-queues', 'Queues and flows', 'GET …/dump_queues', '403, role missing'), status: 'forbidden' },
  { ...allowed('dump-requests', 'Requests', 'GET …/dump_requests', '403, role missing'), status: 'forbidden' },
  allowed('dry-run', 'Dry run of edits', 'update, dryRun=All', 'allowed'),
  { ...allowed('write', 'Apply edits', 'create, update, patch', '403, role missing'), status: 'forbidden' },
]

function allowed(
  capability: CapabilityResult['capability'],
  label: string,
  needs: string,
  found: string,
): CapabilityResult {
  return { capability, label, needs, found, status: 'allowed' }
}

const missingRole = `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: apf-console-dumps
rules:
- nonResourceURLs:
  - /debug/api_priority_and_fairness/*
  verbs: [get]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: apf-console-dumps
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: apf-console-dumps
subjects:
- kind: User
  name: oncall-anna
`

const ownLevel = `apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata:
  name: apf-console
spec:
  type: Limited
  limited:
    nominalConcurrencyShares: 1
    limitResponse:
      type: Queue
`

export function permissionReports(target: Target, now: number): PermissionReport[] {
  const servers = target.kind === 'urls' ? target.urls : (target.servers ?? ['https://10.20.0.10:6443'])
  return servers.map((server) => ({
    server,
    user: 'oncall-anna',
    checkedAt: new Date(now).toISOString(),
    results,
    missingRole,
    editRole: missingRole.replaceAll('apf-console-dumps', 'apf-console-edit'),
    ownLevel,
  }))
}

/** Health as the main side would tell it: the first server fails while the story is silent. */
export function healthOf(servers: readonly ServerFrame[], silent: boolean, now: number): ServerHealth[] {
  return servers.map(({ id, at }, index): ServerHealth => {
    const failing = silent && index === 0
    return {
      id,
      status: failing ? 'failing' : 'ok',
      lastGoodAt: at,
      failures: failing ? [1, 2, 4, 8].map((seconds) => failure(now - 16_000 + seconds * 1_000)) : [],
      ...(failing ? { nextTryAt: new Date(now + 11_000).toISOString() } : {}),
      fetchMs: 11 + index * 2,
      parseMs: 2.4,
      bytes: 1_800_000,
      wireBytes: 86_000,
      families: 31,
      clockOffsetMs: 12,
      dumps: { status: 'ok', costMs: 3.4, bytes: 64_000, lastAt: at },
    }
  })
}

const failure = (at: number): ServerHealth['failures'][number] => ({
  at: new Date(at).toISOString(),
  problem: {
    code: 'unreachable',
    message: 'apiserver-a refused the connection; is it running?',
    details: 'connect ECONNREFUSED 10.20.0.11:6443',
  },
})

/** Two clusters of a Prometheus, one of them with two servers. */
export function prometheusServers({ matchers = [] }: PrometheusTarget, now: number): PrometheusServers {
  const servers = (...instances: string[]) => instances.map((instance) => ({ instance, lastAt: now - 5_000 }))
  const clusters = [
    { name: 'prod-eu-1', servers: servers('10.20.0.11:6443', '10.20.0.12:6443') },
    { name: 'staging', servers: servers('10.30.0.11:6443') },
  ]
  return {
    labels: { cluster: 'cluster', instance: 'instance' },
    choices: ['cluster', 'instance', 'job'],
    clusters: clusters.filter(({ name }) =>
      matchers.every(({ label, value }) => label !== 'cluster' || value === name),
    ),
    intervalMs: 30_000,
  }
}
