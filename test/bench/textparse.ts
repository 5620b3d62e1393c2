import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'

const SOURCE = path.join(import.meta.dirname, 'textparse')
const BINARY = path.join(import.meta.dirname, '..', '..', '.cache', 'bench', 'textparse')

/** What the Go program prints: milliseconds of each run. */
const Output = z.object({ ms: z.array(z.number()) })

/** Builds the Go program that times Prometheus' parser; returns how to run it, or why that cannot be. */
export function buildTextparse(): ((page: string, runs: number) => readonly number[]) | string {
  mkdirSync(path.dirname(BINARY), { recursive: true })
  const build = spawnSync('go', ['build', '-mod=readonly', '-o', BINARY, '.'], { cwd: SOURCE, encoding: 'utf8' })
  if (build.error !== undefined) return 'Go is not installed'
  if (build.status !== 0) return `go build failed: ${build.stderr.trim()}`
  return (page, runs) => {
    const { stdout, stderr, status } = spawnSync(BINARY, ['-runs', String(runs), page], { encoding: 'utf8' })
    if (status !== 0) throw new Error(`textparse failed: ${stderr.trim()}`)
    return Output.parse(JSON.parse(stdout)).ms
  }
}
