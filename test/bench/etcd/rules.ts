import type { QosClass, QosRule } from '../../../core/qos/configuration.ts'

/** Split by user, as the costlier way. */
export const CLASS: QosClass = {
  name: 'c',
  limiter: { qdisc: 'tbf', qps: 1_000, burst: 100 },
  overflow: { action: 'reject' },
  cost: 'requests',
  groupBy: { by: 'user' },
  maxGroups: 1_000,
}

/** The same for the same index; half of them select a kind of its own among reads, half among writes. */
export const ruleAt = (index: number): QosRule => ({
  name: `r${index}`,
  qClassName: 'c',
  priority: 1 + (index % 100),
  enabled: true,
  subjects: [],
  prefixPaths: [`/registry/kind${index}/`],
  ranges: [],
  keyMatch: 'overlap',
  ops: index % 2 === 0 ? ['Range'] : ['Put'],
  methods: [],
  minRetry: 0,
  conditions: index % 4 === 0 ? [{ kind: 'ScanKeyNum', threshold: 1_000 }] : [],
  scope: 'class',
})
