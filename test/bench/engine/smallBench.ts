import { flowHash, hashFromBigInt } from '../../../core/request/match.ts'
import { deal } from '../../../core/engine/dealer.ts'
import { type SolverItem, solve } from '../../../core/engine/solver.ts'
import { splitmix } from './splitmix.ts'

/** Nanoseconds of one call; `call` gets the number of calls before it. */
function timeCalls(calls: number, call: (i: number) => void): number {
  const started = performance.now()
  for (let i = 0; i < calls; i++) call(i)
  return ((performance.now() - started) * 1e6) / calls
}

/** One call of the solver on the problem of the oracle's `bench solver`. */
export function timeSolver(size: number): number {
  const items = Array.from({ length: size }, (_, i): SolverItem => {
    const h = splitmix(i)
    const lower = Number(h % 50n)
    return { lower, upper: lower + Number((h >> 8n) % 200n), target: lower + Number((h >> 16n) % 300n) }
  })
  const required = Math.trunc(items.reduce((sum, { lower, upper }) => sum + lower + upper, 0) / 2)
  let refused = 0
  const ns = timeCalls(Math.ceil(1_000_000 / size), () => {
    if (!solve(required, items).ok) refused += 1
  })
  if (refused > 0) throw new Error('the solver refused the problem')
  return ns
}

/** One deal, of a hash that was made before. */
export function timeDeal(deck: number, hand: number): number {
  const hashes = Array.from({ length: 4096 }, (_, i) => hashFromBigInt(splitmix(i)))
  const cards = new Int32Array(hand)
  return timeCalls(1_000_000, (i) => {
    const hash = hashes[i & 4095]
    if (hash !== undefined) deal(hash, deck, hand, cards)
  })
}

/** One hash of a flow whose distinguisher is 45 bytes long. */
export function timeFlowHash(): number {
  const distinguishers = Array.from({ length: 1024 }, (_, i) => `system:serviceaccount:namespace-${i}`.padEnd(45, 'x'))
  return timeCalls(50_000, (i) => void flowHash('service-accounts', distinguishers[i & 1023] ?? ''))
}
