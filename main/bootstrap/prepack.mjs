// `npm pack` of a checkout: builds what the package holds. Says nothing on standard output, which is npm's.
import { ensureBuilt } from './build.mjs'
import { ensureInstalled } from './install.mjs'

await ensureInstalled()
await ensureBuilt()
