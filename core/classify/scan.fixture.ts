import type { FlowSchema } from '../config/objects.ts'

/** A flow schema that takes the requests of a shop's service accounts from that of all service accounts. */
export const SCAN: FlowSchema = {
  metadata: { name: 'batch-scan' },
  spec: {
    priorityLevelConfiguration: { name: 'workload-high' },
    matchingPrecedence: 950,
    distinguisherMethod: { type: 'ByUser' },
    rules: [
      {
        subjects: [{ kind: 'Group', group: { name: 'system:serviceaccounts:shop' } }],
        resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
      },
    ],
  },
}

/** A request that it matches. */
export const SCANNED = {
  user: 'system:serviceaccount:shop:web',
  groups: ['system:serviceaccounts', 'system:serviceaccounts:shop', 'system:authenticated'],
  method: 'GET',
  url: '/api/v1/pods',
}
