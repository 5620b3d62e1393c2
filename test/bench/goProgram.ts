import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import path from 'node:path'

/** Builds a Go program of a folder beside the benchmarks; returns where it is, or why that cannot be. */
export function buildGo(...folder: readonly string[]): { readonly binary: string } | { readonly problem: string } {
  const source = path.join(import.meta.dirname, ...folder)
  const built = path.join(import.meta.dirname, '..', '..', '.cache', 'bench')
  mkdirSync(built, { recursive: true })
  const binary = path.join(built, path.basename(source))
  const build = spawnSync('go', ['build', '-mod=readonly', '-o', binary, '.'], { cwd: source, encoding: 'utf8' })
  if (build.error !== undefined) return { problem: 'Go is not installed' }
  return build.status === 0 ? { binary } : { problem: `go build failed: ${build.stderr.trim()}` }
}
