import type { RequestDigest, User } from '../request/match.ts'
import { parseListOptions, parseRequestTarget, type Query } from '../request/requestTarget.ts'
import { requestInfo } from '../request/requestInfo.ts'
import { statisticsKey } from '../engine/workEstimator.ts'
import { secondsToNs } from '../units.ts'
import { type Distribution, drawNs, type Random } from './random.ts'
import type { CallKind, Workload } from './workload.ts'

/** One request of one client, ready to be sent any number of times. */
export interface PreparedCall extends RequestDigest {
  readonly query: Query
  /** Draws how long its handler takes, nanoseconds, when nothing slows it down; of a watch until it is initialised. */
  readonly drawExecutionNs: (random: Random) => number
}

type Target = Pick<PreparedCall, 'info' | 'query'>

const DRAWN = /\{n:(\d+)\}/

/** Prepares calls, each address read once for all clients. */
export class CallBook {
  private readonly workload: Workload
  private readonly targets = new Map<string, Target>()

  constructor(workload: Workload) {
    this.workload = workload
  }

  /** Throws for a target that cannot be read. */
  prepare(user: User, method: string, target: string, execution?: Distribution): PreparedCall {
    const { info, query } = this.read(method, target)
    const { service } = this.workload
    const distribution = execution ?? service.byVerb[info.verb] ?? service.otherwise
    const transferNs = execution === undefined ? secondsToNs(this.bytesOf({ info, query }) / service.bytesPerSecond) : 0
    return { user, info, query, drawExecutionNs: (random) => drawNs(distribution, random) + transferNs }
  }

  private read(method: string, target: string): Target {
    const key = `${method} ${target}`
    const known = this.targets.get(key)
    if (known !== undefined) return known
    const parsed = parseRequestTarget(target)
    const { info, failed } = parsed === undefined ? { info: undefined, failed: true } : requestInfo(method, parsed)
    if (parsed === undefined || info === undefined || failed) throw new Error(`${key} is no request`)
    const read = { info, query: parsed.query }
    this.targets.set(key, read)
    return read
  }

  /** Bytes that a list reads and encodes; 0 of anything else. */
  private bytesOf({ info, query }: Target): number {
    const options = parseListOptions(query)
    if (options === undefined || (info.verb !== 'list' && options.sendInitialEvents !== true)) return 0
    const kind = this.workload.objects.find(({ key }) => key === statisticsKey(info))
    if (kind === undefined) return 0
    const found = info.name !== '' ? 1 : info.namespace === '' ? kind.count : kind.count / this.workload.namespaces
    return kind.averageSize * (options.limit > 0 ? Math.min(options.limit, found) : found)
  }
}

/** What one client chooses its calls from. */
export interface CallMix {
  draw(random: Random): PreparedCall
}

/** The calls of the client with this number; those with a drawn number are prepared once for each number. */
export function callMix(book: CallBook, user: User, index: number, kinds: readonly CallKind[]): CallMix {
  const prepared = kinds.map(({ method, target, weight, execution }) => ({
    weight,
    variants: variantsOf(numbered(target, index)).map((one) => book.prepare(user, method, one, execution)),
  }))
  const sum = prepared.reduce((total, { weight }) => total + weight, 0)
  return {
    draw(random) {
      let rest = random() * sum
      const chosen = prepared.find(({ weight }) => (rest -= weight) < 0) ?? prepared.at(-1)
      const call = chosen?.variants[Math.floor(random() * chosen.variants.length)]
      if (call === undefined) throw new Error('a client needs at least one call')
      return call
    },
  }
}

/** Puts the number of a client into a text. */
export const numbered = (text: string, index: number): string => text.replaceAll('{i}', String(index))

function variantsOf(target: string): readonly string[] {
  const count = Number(DRAWN.exec(target)?.[1] ?? 0)
  return count === 0 ? [target] : Array.from({ length: count }, (_, n) => target.replace(DRAWN, String(n)))
}
