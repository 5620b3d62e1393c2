import { asText } from '../text/text.ts'
import { plain } from '../text/format.ts'
import { ProblemError } from '../errors.ts'
import type { EtcdAdvice } from '../contract/etcd.ts'
import type { Json, JsonMap } from '../manifest/json.ts'
import { type QosConfiguration, type QosRule, NO_RULES } from './configuration.ts'
import { changeRules, documentOf, type RulesDocument } from './document.ts'
import { textOf } from './keys.ts'
import { opOfMethod } from './operations.ts'
import { previewOf } from './preview.ts'
import { elementsOf, type QosRequest } from './request.ts'
import type { Seen } from './seen.ts'
import { byRequest, spanMs, type Usage, usages } from './traffic.ts'

/** Starter rules, or rules derived from observed requests. Never applied automatically. */
export interface Proposal {
  readonly id: string
  readonly title: string
  /** What they protect etcd from, how, and their cost to harmless requests. */
  readonly why: string
  readonly classes: readonly JsonMap[]
  readonly rules: readonly JsonMap[]
}

/** Expensive reads of one resource. */
const listsOf = (resource: string, prefix: string, priority: number, more = ''): Proposal => {
  const name = `${resource.replace(/s$/, '')}-lists`
  return {
    id: name,
    title: `Lists of ${resource.replace('-', ' ')}`,
    why: `A read of ${prefix} that scanned more than 1,000 keys before is limited to 10 per second, with a burst of 12. The first run of such a read passes, because its cost is still unknown.${more}`,
    classes: [{ name, qdisc: 'tbf', qps: 10, burst: 12 }],
    rules: [
      {
        name: `rule-${name}`,
        qClassName: name,
        priority,
        ops: ['Range'],
        prefixPaths: [prefix],
        conditions: [{ kind: 'ScanKeyNum', threshold: 1_000 }],
      },
    ],
  }
}

/** Starter rules for requests that are known to bring an etcd down. */
export const PRESETS: readonly Proposal[] = [
  {
    id: 'events',
    title: 'Events cannot fill the store',
    why: 'Above 90 % of the storage quota, writes of Kubernetes events are limited to 2 per second, so that an event flood does not raise the NOSPACE alarm, which stops every write. Other writes are not limited.',
    classes: [{ name: 'event', qdisc: 'lbf', qps: 2 }],
    rules: [
      {
        name: 'rule-event',
        qClassName: 'event',
        priority: 9,
        ops: ['Put'],
        prefixPaths: ['/registry/events/'],
        conditions: [{ kind: 'PercentOfStorageQuotaUsed', threshold: 0.9 }],
      },
    ],
  },
  {
    id: 'slow-query',
    title: 'Reads of more than 10,000 keys',
    why: 'A read that scanned more than 10,000 keys before is limited to 10 per second, with a burst of 12. The first run of such a read passes, because its cost is still unknown.',
    classes: [{ name: 'slow-query', qdisc: 'tbf', qps: 10, burst: 12 }],
    rules: [
      {
        name: 'rule-slowlog',
        qClassName: 'slow-query',
        priority: 10,
        ops: ['Range'],
        conditions: [{ kind: 'ScanKeyNum', threshold: 10_000 }],
      },
    ],
  },
  listsOf('pods', '/registry/pods/', 11),
  listsOf('events', '/registry/events/', 12),
  listsOf('configmaps', '/registry/configmaps/', 13),
  listsOf('custom-resources', '/registry/example.com/', 14, ' Replace the prefix with the group of your resources.'),
  {
    id: 'tenant-scans',
    title: 'Scans of tenants',
    why: 'Each user may scan 10,000 keys a minute under /tenants/; a read that would exceed that is rejected until older ones are a minute old. Replace the prefix with that of your tenants: the API server is one user and scans more.',
    classes: [
      {
        name: 'tenant-scan',
        qdisc: 'window',
        limit: 10_000,
        windowMs: 60_000,
        cost: 'scannedKeys',
        groupBy: 'user',
      },
    ],
    rules: [
      {
        name: 'rule-tenant-scan',
        qClassName: 'tenant-scan',
        priority: 5,
        ops: ['Range'],
        prefixPaths: ['/tenants/'],
      },
    ],
  },
  {
    id: 'whole-keyspace',
    title: 'Reads of the whole keyspace',
    why: String.raw`Reads that extend to the end of the keyspace run one at a time, including the first. The rule selects the key \xff, which lies after all text keys, so it matches only such reads.`,
    classes: [{ name: 'whole-keyspace', qdisc: 'maxinflight', num: 1 }],
    rules: [
      {
        name: 'rule-whole-keyspace',
        qClassName: 'whole-keyspace',
        priority: 60,
        ops: ['Range'],
        ranges: [{ key: String.raw`\xff` }],
      },
    ],
  },
  {
    id: 'passwords',
    title: 'Password storms',
    why: 'Each Authenticate costs etcd a bcrypt hash, about 50 ms of CPU time. At most 5 per second are admitted, with a burst of 10; clients that keep their token are not affected.',
    classes: [{ name: 'password-check', qdisc: 'tbf', qps: 5, burst: 10 }],
    rules: [{ name: 'rule-passwords', qClassName: 'password-check', priority: 50, ops: ['Authenticate'] }],
  },
  {
    id: 'big-writers',
    title: 'Big writers',
    why: 'Writes above 256 KiB are limited to 1 MiB per second and user, with a burst of 4 MiB. Each has to be replicated and synced before the writes behind it.',
    classes: [
      { name: 'big-write', qdisc: 'tbf', qps: 1_048_576, burst: 4_194_304, cost: 'requestBytes', groupBy: 'user' },
    ],
    rules: [
      {
        name: 'rule-big-writes',
        qClassName: 'big-write',
        priority: 20,
        ops: ['Put', 'Txn'],
        conditions: [{ kind: 'RequestSize', threshold: 262_144 }],
      },
    ],
  },
]

const HIGHEST_PRIORITY = 100
const MOST_PROPOSED = 5
const EXPENSIVE_KEYS = 1_000
const EXPENSIVE_BYTES = 1024 * 1024

/** The starter rules, and rules for the expensive requests given, each previewed on them (QoS specification 8). */
export function advise(all: readonly Seen[], configuration: QosConfiguration): readonly EtcdAdvice[] {
  return [...proposalsFor(all), ...PRESETS].map((proposal) => tried(proposal, all, configuration))
}

function tried(proposal: Proposal, all: readonly Seen[], configuration: QosConfiguration): EtcdAdvice {
  const free = withFreeNames(proposal, configuration)
  try {
    const { rules } = changeRules(NO_RULES, {
      action: 'import',
      document: documentWith(NO_RULES, proposal),
    }).configuration
    const inEffect = rules.every((rule) => configuration.rules.some((one) => limitsAll(one, rule)))
    if (inEffect) return { ...proposal, inEffect, preview: previewOf(all, configuration) }
    const together = changeRules(configuration, { action: 'import', document: documentWith(configuration, free) })
    return { ...free, inEffect, preview: previewOf(all, together.configuration) }
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    return { ...free, inEffect: false, problem: error.message }
  }
}

/** Whether a rule applies to every request to which the other would, whatever their names. */
function limitsAll(rule: QosRule, other: QosRule): boolean {
  const selects = (
    own: readonly string[],
    wanted: readonly string[],
    is = (a: string, b: string) => a === b,
  ): boolean => own.length === 0 || (wanted.length > 0 && wanted.every((one) => own.some((mine) => is(one, mine))))
  const same = (own: readonly object[], wanted: readonly object[]): boolean =>
    own.length === 0 || JSON.stringify(own) === JSON.stringify(wanted)
  const noKeys = rule.prefixPaths.length === 0 && rule.ranges.length === 0
  return (
    rule.enabled &&
    rule.minRetry <= other.minRetry &&
    (rule.keyMatch === 'overlap' || noKeys) &&
    selects(rule.ops, other.ops) &&
    selects(rule.methods, other.methods) &&
    same(rule.subjects, other.subjects) &&
    (noKeys ||
      (same(rule.ranges, other.ranges) &&
        selects(rule.prefixPaths, other.prefixPaths, (prefix, mine) => prefix.startsWith(mine)))) &&
    rule.conditions.every(({ kind, threshold }) =>
      other.conditions.some((one) => one.kind === kind && one.threshold >= threshold),
    )
  )
}

/** The proposal with names and priorities that the rules in effect do not use: `rule-slowlog-2`. */
function withFreeNames(proposal: Proposal, { classes, rules }: QosConfiguration): Proposal {
  const renamed = new Map<Json | undefined, string>()
  const free = (entry: JsonMap, taken: readonly { readonly name: string }[]): JsonMap => {
    const name = asText(entry['name'])
    const used = (one: string): boolean => taken.some((other) => other.name === one)
    let number = 2
    while (used(`${name}-${number}`)) number += 1
    const chosen = used(name) ? `${name}-${number}` : name
    renamed.set(name, chosen)
    return { ...entry, name: chosen }
  }
  const named = proposal.classes.map((one) => free(one, classes))
  const priorities = new Set(rules.map(({ priority }) => priority))
  const written = proposal.rules.map((rule) => {
    let priority = Number(rule['priority'])
    while (priorities.has(priority) && priority < HIGHEST_PRIORITY) priority += 1
    return { ...free(rule, rules), priority, qClassName: renamed.get(rule['qClassName']) ?? null }
  })
  return { ...proposal, classes: named, rules: written }
}

/** The rules in effect plus those of a proposal. */
export function documentWith(configuration: QosConfiguration, { classes, rules }: Proposal): RulesDocument {
  const document = documentOf(configuration)
  return { ...document, classes: [...document.classes, ...classes], rules: [...document.rules, ...rules] }
}

/** Of the most expensive requests by keys and by bytes, those that are expensive every time. */
function proposalsFor(all: readonly Seen[]): readonly Proposal[] {
  const seconds = Math.max(1, spanMs(all) / 1_000)
  const each = usages(all, byRequest).filter(({ sample }) => proposable(sample.request))
  const ran = ({ requests, limited }: Usage): number => Math.max(1, requests - limited)
  const traffic = (usage: Usage): number => usage.requestBytes + usage.responseBytes
  const byKeys = each.toSorted((a, b) => b.scannedKeys - a.scannedKeys).slice(0, MOST_PROPOSED)
  const byBytes = each.toSorted((a, b) => traffic(b) - traffic(a)).slice(0, MOST_PROPOSED)
  const found = new Map<string, Proposal>()
  for (const usage of new Set([...byKeys, ...byBytes])) {
    const keys = usage.scannedKeys / ran(usage)
    const bytes = traffic(usage) / usage.requests
    if (keys <= EXPENSIVE_KEYS && bytes <= EXPENSIVE_BYTES) continue
    const proposal = proposalFor(usage, { keys, bytes, perSecond: usage.requests / seconds })
    if (!found.has(proposal.id)) found.set(proposal.id, proposal)
  }
  return [...found.values()].slice(0, MOST_PROPOSED)
}

interface Observation {
  readonly keys: number
  readonly bytes: number
  readonly perSecond: number
}

/** Costs are predicted only for reads, and only keys can be named. */
const proposable = ({ method, body }: QosRequest): boolean => method === 'KV/Range' && body?.op === 'Range'

function proposalFor({ op, sample }: Usage, { keys, bytes, perSecond }: Observation): Proposal {
  const [first] = sample.request.body === undefined ? [] : elementsOf(sample.request.body)
  const key = first?.key ?? ''
  const prefix = textOf(key.slice(0, key.lastIndexOf('/') + 1))
  const qps = Math.max(1, Math.round(perSecond * 50) / 100)
  const scans = keys > EXPENSIVE_KEYS
  const name = nameFor(prefix)
  const what = scans ? plain.counted(Math.round(keys), 'key') : plain.bytes(bytes)
  return {
    id: name,
    title: `${op} of ${prefix === '' ? 'all keys' : prefix}`,
    why: `It arrived ${plain.amount(perSecond)} times per second and cost ${what} each. The rule limits such expensive reads of these keys to ${qps} per second: half that rate, but at least 1.`,
    classes: [{ name, qdisc: 'tbf', qps, burst: Math.ceil(1.2 * qps) }],
    rules: [
      {
        name,
        qClassName: name,
        priority: freePriority(name),
        ops: [opOfMethod(sample.request.method)],
        ...(prefix !== '' && { prefixPaths: [prefix] }),
        conditions: [
          scans
            ? { kind: 'ScanKeyNum', threshold: EXPENSIVE_KEYS }
            : { kind: 'TotalTraffic', threshold: EXPENSIVE_BYTES },
        ],
      },
    ],
  }
}

/** A valid name for classes and rules: `expensive-registry-pods`. */
const nameFor = (prefix: string): string => {
  const words = prefix.toLowerCase().match(/[a-z0-9]+/g) ?? ['reads']
  return `expensive-${words.join('-')}`.slice(0, 60).replace(/-+$/, '')
}

/** Spread over 30 to 45, where there are no starter rules, so that rules for overlapping keys seldom share one. */
const freePriority = (name: string): number =>
  30 +
  (Array.from({ length: name.length }, (_, index) => name.charCodeAt(index)).reduce((sum, each) => sum + each, 0) % 16)
