import { type ClassifyingConfiguration, classifyingConfiguration } from '../classify/configuration.ts'
import { builtInObjects } from '../config/builtIn.ts'
import { EXEMPT, type ObjectSet, objectNamed } from '../config/objects.ts'
import { NEWEST_VERSION } from '../engine/profiles.ts'
import { SYSTEM_GROUPS } from '../guard/systemRequests.ts'
import { writeManifest } from '../manifest/write.ts'
import type { RequestDigest } from '../request/match.ts'
import { plain } from '../text/format.ts'
import { listed } from '../text/text.ts'
import { clientName } from '../verdict/ledger.ts'
import type { Case } from './case.ts'
import { fact, weighing } from './clues.ts'
import { isTroubled, type ServerFacts } from './facts.ts'
import { advice, type Known, undoing } from './remedies.ts'
import { sufferingOf } from './victims.ts'

/** System requests that a schema sends to another level than the built-in objects do. */
interface Misrouted {
  readonly schema: string
  readonly level: string
  /** Whose they are: `Node heartbeats`. */
  readonly titles: readonly string[]
  /** Levels, and the last matching precedence, of the schemas that would serve them. */
  readonly usual: readonly string[]
  readonly behind: number
}

const KNOWN = new WeakMap<ObjectSet, readonly Misrouted[]>()

/** By flow schema that catches them. */
function misrouted(objects: ObjectSet, version = NEWEST_VERSION): readonly Misrouted[] {
  const known = KNOWN.get(objects)
  if (known !== undefined) return known
  const [is, usual] = [classifyingConfiguration(objects), classifyingConfiguration(builtInObjects(version))]
  const level = (configuration: ClassifyingConfiguration, digest: RequestDigest): string =>
    configuration.schemaOf(digest).spec.priorityLevelConfiguration.name
  const all = SYSTEM_GROUPS.flatMap(({ title, requests }) =>
    requests.flatMap(({ digest }) => {
      const [to, should] = [level(is, digest), level(usual, digest)]
      const own = is.levels.has(should)
      return to === should || to === EXEMPT || !own ? [] : [{ title, digest, to, should }]
    }),
  )
  const found = [...Map.groupBy(all, ({ digest }) => is.schemaOf(digest).metadata.name)].map(
    ([schema, ones]): Misrouted => ({
      schema,
      level: ones[0]?.to ?? '',
      titles: [...new Set(ones.map(({ title }) => title))],
      usual: [...new Set(ones.map(({ should }) => should))],
      behind: Math.max(...ones.map(({ digest }) => usual.schemaOf(digest).spec.matchingPrecedence)),
    }),
  )
  KNOWN.set(objects, found)
  return found
}

const RENEWALS: ReadonlySet<string> = new Set(
  SYSTEM_GROUPS.flatMap(({ id, title }) => (id === 'leader-election' || id === 'node-heartbeats' ? [title] : [])),
)

/** Whether nodes, controllers or probes fail where the request waits or is rejected. */
function isVital({ user: { name }, info: { resource, subresource, verb, path, isResource } }: RequestDigest): boolean {
  if (!isResource) return /^\/(?:healthz|livez|readyz)(?:\/|$)/.test(path)
  if (resource === 'leases' && verb !== 'list' && verb !== 'watch') return true
  return name.startsWith('system:node:') && resource === 'nodes' && subresource === 'status'
}

/**
 * Leases, heartbeats and probes that wait or are rejected, wherever they are; and schemas that catch requests of the
 * system before anything breaks.
 */
export function systemCases(server: ServerFacts, { objects, version, changes }: Known): readonly Case[] {
  const vital = server.ledger.clients.filter(({ level, calls: [first] }) => {
    return level !== EXEMPT && first !== undefined && isVital(first.digest)
  })
  const suffering = vital.flatMap((client) => {
    const found = sufferingOf([client])
    return found === undefined
      ? []
      : [{ ...found, client, name: `${clientName(client)} (${client.calls[0]?.text ?? ''})` }]
  })
  const elsewhere = objects === undefined ? [] : misrouted(objects, version)
  const places = new Map(
    [
      ...elsewhere.map(({ schema, level }) => ({ schema, level })),
      ...suffering.map(({ client: { schema, level } }) => ({ schema, level })),
    ].map((place) => [`${place.schema} ${place.level}`, place]),
  )
  return [...places.values()].map(({ schema, level }): Case => {
    const caught = elsewhere.find((one) => one.schema === schema)
    const recent = changes?.findLast(({ difference: { kind, name } }) => kind === 'FlowSchema' && name === schema)
    const own = suffering.filter(({ client }) => client.schema === schema && client.level === level)
    const busy = server.levels.find(({ name }) => name === level)
    const isBusy = busy !== undefined && isTroubled(busy)
    const what = caught === undefined ? 'Requests that keep the cluster alive' : listed(caught.titles)
    const renewals = own.length > 0 || caught?.titles.some((title) => RENEWALS.has(title)) === true
    const victims = own.map(({ name, text }) => ({ name, text }))
    return {
      cause: 'system-requests',
      place: { server: server.id, level, schema },
      culprit: `FlowSchema ${schema}`,
      since: isBusy ? server.since : undefined,
      victims,
      tier: own.length > 0 ? 'dumps' : 'objects',
      text: `${what}: the flow schema ${schema} sends them to ${level}${caught === undefined ? '' : `; with the built-in objects they go to ${listed(caught.usual)}`}.${isBusy ? ` ${level} is in trouble, and they wait there like all others${renewals ? ': nodes and controllers whose leases are late count as failed' : ''}.` : ' Nothing is wrong yet: once that level is busy, they wait there like all others.'}`,
      ...(own.length > 0 && {
        symptom: `${listed(victims.map(({ name }) => name))} wait or are rejected in ${level}.`,
      }),
      needs: [
        weighing(
          own.length > 0 ? 7 : isBusy && caught !== undefined ? 4 : 2,
          fact(
            own.length > 0 || caught !== undefined,
            own.length > 0
              ? `${listed(own.map(({ name, text }) => `${name}: ${text}`))}.`
              : `${schema} matches requests of the system first (${what}).`,
          ),
        ),
      ],
      hints: isBusy ? [fact(true, `Requests wait or are rejected in ${level}.`)] : [],
      remedy:
        caught === undefined
          ? advice(`Find what makes ${level} busy, or send these requests to a level of their own.`)
          : recent !== undefined
            ? undoing(recent)
            : advice(
                `Let ${schema} match after the schemas of the system: set its matchingPrecedence above ${plain.amount(caught.behind)}, or let it match its own clients only.`,
                () => behindSystem(objects, schema, caught.behind),
              ),
    }
  })
}

function behindSystem(objects: ObjectSet | undefined, name: string, behind: number) {
  const schema = objectNamed(objects?.schemas, name)
  if (schema === undefined || behind >= 9_999) return []
  const spec = { ...schema.spec, matchingPrecedence: behind + 1 }
  return [{ kind: 'FlowSchema' as const, name, text: writeManifest('FlowSchema', { metadata: { name }, spec }) }]
}
