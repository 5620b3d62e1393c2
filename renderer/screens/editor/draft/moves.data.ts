import { sampleOfDump } from '../../../../core/classify/requestText.ts'
import { distinguisherOf, inMatchingOrder } from '../../../../core/request/match.ts'
import { classifyingConfiguration } from '../../../../core/classify/configuration.ts'
import { digestRequest, type DigestedRequest } from '../../../../core/classify/classification.ts'
import type { FlowSchema, ObjectSet } from '../../../../core/config/objects.ts'
import { defaulted } from '../../../../core/guard/changes.ts'
import type { DumpRequest } from '../../../../core/frame/dump.ts'

/** A request from a dump, ready to be classified again; its groups follow from its user's name. */
export interface SeenRequest {
  readonly key: string
  readonly user: string
  readonly digested: DigestedRequest
}

/** Beyond this number, the oldest are dropped. */
const MOST_SEEN = 1_000

/** Adds the requests of another dump, each once. Returns the same value when nothing is new. */
export function withSeen(seen: readonly SeenRequest[], requests: readonly DumpRequest[]): readonly SeenRequest[] {
  const known = new Set(seen.map(({ key }) => key))
  const added = requests.flatMap((request): SeenRequest[] => {
    const key = `${request.user} ${request.verb} ${request.path}`
    const found = known.has(key) ? undefined : sampleOfDump(request)
    if (found === undefined) return []
    known.add(key)
    const digested = digestRequest(found)
    return digested.ok ? [{ key, user: found.user, digested }] : []
  })
  return added.length === 0 ? seen : [...seen, ...added].slice(-MOST_SEEN)
}

/** Requests that another schema would match. */
export interface Move {
  readonly from: Landing
  readonly to: Landing
  readonly requests: number
  readonly users: number
}
interface Landing {
  readonly schema: string
  readonly level: string
}

/** A flow of a level, as the proposed configuration distinguishes it. */
export interface SeenFlow {
  readonly schema: string
  readonly distinguisher: string
  readonly requests: number
}

export interface Moves {
  readonly seen: number
  /** Sorted by the number of requests that move, descending. */
  readonly moves: readonly Move[]
  /** By level of the proposed configuration; those with most requests first. */
  readonly flows: ReadonlyMap<string, readonly SeenFlow[]>
}

export function movesOf(before: ObjectSet, after: ObjectSet, seen: readonly SeenRequest[]): Moves {
  const was = classifyingConfiguration(defaulted(before))
  const is = classifyingConfiguration(after)
  const moves = new Map<
    string,
    { readonly from: Landing; readonly to: Landing; requests: number; users: Set<string> }
  >()
  const flows = new Map<string, Map<string, SeenFlow>>()
  for (const { user, digested } of seen) {
    const toSchema = is.schemaOf(digested.digest)
    const [from, to] = [landingOf(was.schemaOf(digested.digest)), landingOf(toSchema)]
    const distinguisher = distinguisherOf(toSchema, digested.digest)
    const ofLevel = flows.get(to.level) ?? new Map<string, SeenFlow>()
    const flowKey = `${to.schema} ${distinguisher}`
    const requests = (ofLevel.get(flowKey)?.requests ?? 0) + 1
    flows.set(to.level, ofLevel.set(flowKey, { schema: to.schema, distinguisher, requests }))
    if (from.schema === to.schema && from.level === to.level) continue
    const key = `${from.schema} ${from.level} ${to.schema} ${to.level}`
    const move = moves.get(key) ?? { from, to, requests: 0, users: new Set<string>() }
    move.requests += 1
    move.users.add(user)
    moves.set(key, move)
  }
  return {
    seen: seen.length,
    moves: [...moves.values()]
      .map(({ users, ...move }) => ({ ...move, users: users.size }))
      .toSorted((a, b) => b.requests - a.requests),
    flows: new Map(
      [...flows].map(([level, found]) => [level, [...found.values()].toSorted((a, b) => b.requests - a.requests)]),
    ),
  }
}

const landingOf = ({ metadata, spec }: FlowSchema): Landing => ({
  schema: metadata.name,
  level: spec.priorityLevelConfiguration.name,
})

/** A schema near another one in the matching order. */
export interface NeighbourRow {
  readonly name: string
  readonly precedence: number
  readonly self: boolean
  /** The effect of the draft on it, as far as requests were seen. */
  readonly remark: string
}

const AROUND = 2

/** The schemas tried just before and just after one. */
export function neighbours(objects: ObjectSet, name: string, moves: Moves | undefined): readonly NeighbourRow[] {
  const order = objects.schemas.toSorted(inMatchingOrder)
  const at = order.findIndex(({ metadata }) => metadata.name === name)
  if (at === -1) return []
  return order.slice(Math.max(0, at - AROUND), at + AROUND + 1).map(({ metadata, spec }) => ({
    name: metadata.name,
    precedence: spec.matchingPrecedence,
    self: metadata.name === name,
    remark: remarkOf(metadata.name, moves),
  }))
}

function remarkOf(name: string, moves: Moves | undefined): string {
  if (moves === undefined) return ''
  const sum = (of: 'from' | 'to'): number =>
    moves.moves
      .filter(({ from, to }) => from.schema !== to.schema && (of === 'from' ? from : to).schema === name)
      .reduce((total, { requests }) => total + requests, 0)
  const [loses, gains] = [sum('from'), sum('to')]
  return [...(loses > 0 ? [`loses ${loses}`] : []), ...(gains > 0 ? [`gains ${gains}`] : [])].join(', ')
}
