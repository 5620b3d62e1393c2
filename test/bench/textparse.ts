import { spawnSync } from 'node:child_process'
import { z } from 'zod'
import { buildGo } from './goProgram.ts'

/** The output of the Go program: milliseconds of each run. */
const Output = z.object({ ms: z.array(z.number()) })

/** Builds the Go program that times Prometheus' parser; returns how to run it, or why that cannot be. */
export function buildTextparse(): ((page: string, runs: number) => readonly number[]) | string {
  const built = buildGo('textparse')
  if ('problem' in built) return built.problem
  return (page, runs) => {
    const { stdout, stderr, status } = spawnSync(built.binary, ['-runs', String(runs), page], { encoding: 'utf8' })
    if (status !== 0) throw new Error(`textparse failed: ${stderr.trim()}`)
    return Output.parse(JSON.parse(stdout)).ms
  }
}
