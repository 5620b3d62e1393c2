import { builtInObject } from '../config/builtIn.ts'
import type { ObjectSet } from '../config/objects.ts'
import type { Suggestion } from '../contract/advice.ts'
import { NEWEST_VERSION } from '../engine/profiles.ts'
import { allRejected } from '../frame/recent.ts'
import { plain } from '../text/format.ts'
import { MS_PER_SECOND, unixMsOf } from '../units.ts'
import { dropSettings, scrapeCost } from './scrapeCost.ts'
import { seatsFor, type ServerUsage } from './usage.ts'
import { DEMAND_STAYS, ENOUGH, over, range } from './evidence.ts'
import { listed } from '../text/text.ts'

/** The two flags whose sum is the seats of a server. */
const flags = (seats: number): string => {
  // As the defaults, 400 and 200.
  const readOnly = Math.ceil((seats * 2) / 3)
  return `--max-requests-inflight=${readOnly}\n--max-mutating-requests-inflight=${seats - readOnly}\n`
}

const NOT_CORES =
  'A seat is neither a core nor memory: these samples do not show whether the machine can serve more requests at once.'

export function flagAdvice(server: ServerUsage, needed: boolean): readonly Suggestion[] {
  const { limit, demand } = server
  const enough = seatsFor(ENOUGH, demand)
  if (limit === undefined || enough === undefined) return []
  const evidence = `The total demand of all levels was up to ${plain.counted(enough, 'seat')} during ${plain.percent(ENOUGH)} of the time, ${over(server)}; the server has ${plain.amount(limit)}.`
  const base = { kind: 'flags', server: server.id, ...range(server), changes: [], impact: [] } as const
  if (enough > limit) {
    const seats = Math.ceil(enough / 50) * 50
    const tier = tierAdvice(server.version, seats)
    if (tier !== undefined) {
      const unknown = [...tier.unknown, DEMAND_STAYS]
      return [{ ...base, verdict: 'edit', ...tier, unknown, evidence: [evidence] }]
    }
    return [
      {
        ...base,
        verdict: 'edit',
        title: `Give each server ${plain.amount(seats)} seats, or add servers`,
        text: 'Shares only divide the seats of a server. These flags of kube-apiserver set how many there are, in the proportion of their defaults.',
        evidence: [evidence],
        unknown: [NOT_CORES, DEMAND_STAYS],
        snippet: flags(seats),
      },
    ]
  }
  if (!needed) return []
  return [
    {
      ...base,
      verdict: 'rejected',
      title: 'Give the servers more seats',
      text: 'Requests wait or are rejected although the server has free seats: they are in levels that cannot use them.',
      evidence: [evidence],
      unknown: [NOT_CORES],
    },
  ]
}

/** Flags that are commonly recommended for clusters of at least this many nodes. */
const BY_NODES = [
  { nodes: 3_000, readOnly: 3_000, mutating: 1_000 },
  { nodes: 1_000, readOnly: 1_500, mutating: 500 },
  { nodes: 0, readOnly: 400, mutating: 200 },
] as const

export function sizeAdvice(server: ServerUsage, nodes: number): readonly Suggestion[] {
  const size = BY_NODES.find((one) => nodes >= one.nodes)
  const { limit } = server
  if (size === undefined || limit === undefined) return []
  const usual = size.readOnly + size.mutating
  if (limit >= usual || tierAdvice(server.version, usual) !== undefined) return []
  const enough = seatsFor(ENOUGH, server.demand)
  return [
    {
      kind: 'flags',
      verdict: 'precaution',
      title: `Set the flags for ${plain.counted(nodes, 'node')}`,
      text: `Guides for clusters of ${size.nodes === 0 ? 'any size' : `${plain.amount(size.nodes)} nodes or more`} commonly name these values, ${plain.amount(usual)} seats. It is a rule of thumb, not a measurement.`,
      server: server.id,
      ...range(server),
      evidence: [
        `The server has ${plain.amount(limit)} seats.`,
        ...(enough === undefined
          ? []
          : [
              `Demand was up to ${plain.counted(enough, 'seat')} during ${plain.percent(ENOUGH)} of the time, ${over(server)}.`,
            ]),
      ],
      unknown: [NOT_CORES],
      changes: [],
      impact: [],
      snippet: `--max-requests-inflight=${size.readOnly}\n--max-mutating-requests-inflight=${size.mutating}\n`,
    },
  ]
}

/** Schemas that the cluster’s operators added and that no request matched on any server since it started. */
export function schemaAdvice(servers: readonly ServerUsage[], objects: ObjectSet | undefined): readonly Suggestion[] {
  const [server] = servers
  if (server === undefined || objects === undefined) return []
  const used = new Set(
    servers.flatMap(({ last }) =>
      last.levels.flatMap(({ schemas }) =>
        schemas.flatMap(({ name, dispatched = 0, rejected, requests: { queued = 0 } }) =>
          dispatched + queued + (rejected === undefined ? 0 : allRejected(rejected)) > 0 ? [name] : [],
        ),
      ),
    ),
  )
  const areCounted = servers.every(({ last }) => last.levels.every(({ dispatched }) => dispatched !== undefined))
  if (!areCounted) return []
  const version = server.version ?? NEWEST_VERSION
  const starts = servers.map(({ last }) => last.startedAt)
  const latest = starts.some((start) => start === undefined) ? undefined : Math.max(...starts.map((start = 0) => start))
  return objects.schemas
    .map(({ metadata: { name } }) => name)
    .filter((name) => !used.has(name) && builtInObject('FlowSchema', name, version) === undefined)
    .map((name) => ({
      kind: 'schema' as const,
      verdict: 'precaution' as const,
      title: `Delete the flow schema ${name}, or fix its rules`,
      text: 'No request matches it: an earlier schema matches its requests, its rules name something that does not exist, or no client sends such requests.',
      server: server.id,
      ...range(server),
      evidence: [
        latest === undefined
          ? 'No server has counted a request of it since it started.'
          : `No server has counted a request of it since it started, the last one at ${plain.dateTime(latest * MS_PER_SECOND)} UTC.`,
      ],
      unknown: [
        'Rare requests, and schemas created after the last request. Classify › Coverage and the checks of the Editor show whether an earlier schema hides it.',
      ],
      changes: [{ kind: 'FlowSchema' as const, name, text: null }],
      impact: [],
    }))
}

/** The flow-control series that a Prometheus can do without. */
export function scrapeAdvice(server: ServerUsage): readonly Suggestion[] {
  const costs = scrapeCost(server.last)
  const all = costs.reduce((sum, { series }) => sum + series, 0)
  const dropped = costs.filter(({ droppable }) => droppable !== undefined)
  const saved = dropped.reduce((sum, { series }) => sum + series, 0)
  // Nothing is left to drop, or the page was filtered already; or it is no page, as where an engine reads logs.
  if (saved === 0 || server.last.acquisition === undefined) return []
  const { bytes, wireBytes } = server.last.acquisition
  return [
    {
      kind: 'scrape',
      verdict: 'precaution',
      title: `Drop ${plain.amount(saved)} of ${plain.counted(all, 'series', 'series')} from Prometheus`,
      text: 'No alert rule, recording rule or dashboard that the console exports reads these families. A direct scrape still has them.',
      server: server.id,
      from: unixMsOf(server.last.at),
      to: unixMsOf(server.last.at),
      evidence: [
        ...dropped.map(
          ({ family, series, droppable = '' }) =>
            `${family}: ${plain.counted(series, 'series', 'series')}. ${droppable}`,
        ),
        `The largest that are needed: ${listed(
          costs
            .filter(({ droppable }) => droppable === undefined)
            .slice(0, 3)
            .map(({ family, series }) => `${family} (${plain.amount(series)})`),
        )}.`,
        ...(bytes === undefined
          ? []
          : [
              `The whole page had ${plain.amount(Math.round(bytes / 1024))} KiB of text${wireBytes === undefined ? '' : `, ${plain.amount(Math.round(wireBytes / 1024))} KiB as it was transferred`}; the server generates all of it, whatever Prometheus stores.`,
            ]),
      ],
      unknown: [
        'Rules and dashboards of your own that read these families.',
        'Families of other prefixes, which are most of the page.',
      ],
      changes: [],
      impact: [],
      snippet: dropSettings(costs),
    },
  ]
}

/**
 * Seats of the tiers of a provisioned control plane of EKS, for 1.30 and later: the table of AWS's user guide, 8XL as others
 * quote it in 2026. There is a larger tier, whose seats nobody lists.
 */
const EKS_TIERS = [
  { name: 'XL', tier: 'tier-xl', seats: 1_700 },
  { name: '2XL', tier: 'tier-2xl', seats: 3_400 },
  { name: '4XL', tier: 'tier-4xl', seats: 6_800 },
  { name: '8XL', tier: 'tier-8xl', seats: 13_600 },
] as const
/** EKS runs at least this many API servers for a cluster. */
const EKS_SERVERS = 2

/**
 * How a cluster gets servers of so many seats where the provider, recognised by the version, sets their flags; `undefined`
 * where nothing shows that it does.
 */
export function tierAdvice(
  version: string | undefined,
  seats: number,
): Pick<Suggestion, 'title' | 'text' | 'unknown' | 'snippet'> | undefined {
  if (version?.includes('-eks-') === true) {
    const tier = EKS_TIERS.find((one) => one.seats >= seats * EKS_SERVERS)
    const table = listed(EKS_TIERS.map((one) => `${one.name} ${plain.amount(one.seats)}`))
    return {
      title: tier === undefined ? 'Choose an EKS tier above 8XL' : `Choose the EKS tier ${tier.name}`,
      text: `EKS sets the flags of its servers. Tiers of its provisioned control plane have these seats: ${table} (AWS’s user guide, 2026; there is a larger one).`,
      unknown: [
        `Whether the seats of a tier are those of each server or of all together: here they are counted as those of ${EKS_SERVERS} servers.`,
      ],
      ...(tier !== undefined && {
        snippet: `aws eks update-cluster-config --name CLUSTER --control-plane-scaling-config tier=${tier.tier}\n`,
      }),
    }
  }
  if (version?.includes('-aliyun') === true) {
    return {
      title: 'Choose a larger control plane of ACK Pro',
      text: 'ACK sets the flags of its servers. Its provisioned control planes have more seats: Pro XL, Pro 2XL and, on request, Pro 4XL (ACK’s API reference, July 2026: cluster_spec ack.pro.xlarge, ack.pro.2xlarge, ack.pro.4xlarge).',
      unknown: [
        'The seats of each tier: compare the table in ACK’s user guide with the demand of all servers together.',
      ],
    }
  }
  return undefined
}
