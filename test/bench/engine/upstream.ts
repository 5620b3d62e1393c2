import { execFileSync } from 'node:child_process'
import { oracleBinary } from '../../oracle/build.ts'

/** Measures with upstream's Go, through the oracle, how many nanoseconds one operation takes. */
export type Upstream = (args: readonly string[]) => number

/** Or the reason why it is missing on this machine. */
export async function upstream(): Promise<Upstream | string> {
  const oracle = await oracleBinary()
  if ('reason' in oracle) return oracle.reason
  return (args) => {
    const text = execFileSync(oracle.path, ['bench', ...args], {
      encoding: 'utf8',
      env: { ...process.env, GOMAXPROCS: '2' },
    })
    const answer: unknown = JSON.parse(text)
    if (typeof answer === 'object' && answer !== null && 'nsPer' in answer && typeof answer.nsPer === 'number') {
      return answer.nsPer
    }
    throw new Error(`the oracle's benchmark answered ${text}`)
  }
}
