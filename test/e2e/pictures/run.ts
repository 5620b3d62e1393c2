// `npm run test:pictures`: every screen beside its picture. With --update-snapshots the pictures that differ are written
// again, as small files.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { ensureBuilt } from '../../../main/bootstrap/build.mjs'
import { runTool } from '../../../main/bootstrap/install.mjs'
import { withPalette } from './palette.ts'

await ensureBuilt()
process.exitCode = await runTool('playwright', ['test', '--project', 'pictures', ...process.argv.slice(2)])
const updates = process.argv.some((word) => /^(?:-u|--update-snapshots)/.test(word))
for (const file of updates ? globSync(path.join(import.meta.dirname, 'screens/*.png')) : []) {
  const png = readFileSync(file)
  const small = withPalette(png)
  if (small !== png) writeFileSync(file, small)
}
