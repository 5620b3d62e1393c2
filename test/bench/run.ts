/**
 * `npm run bench -- NAME…`: runs `NAME.bench.ts` of this folder, which exports `run()` and prints its results as lines
 * of JSON. Without a name, or with an unknown one, lists the names.
 */
import { readdirSync } from 'node:fs'

const SUFFIX = '.bench.ts'

interface Bench {
  run(): Promise<void>
}

const isBench = (module: unknown): module is Bench =>
  typeof module === 'object' && module !== null && 'run' in module && typeof module.run === 'function'

const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith(SUFFIX))
  .map((file) => file.slice(0, -SUFFIX.length))
const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !names.includes(name))

if (wanted.length === 0 || unknown.length > 0) {
  for (const name of unknown) process.stderr.write(`There is no benchmark ${name}.\n`)
  process.stderr.write(`Benchmarks: ${names.join(', ')}\n`)
  process.exitCode = 1
} else {
  for (const name of wanted) {
    const bench: unknown = await import(`./${name}${SUFFIX}`)
    if (!isBench(bench)) throw new Error(`${name}${SUFFIX} does not export run()`)
    // One after the other, or they would measure each other.
    await bench.run()
  }
}
