// `npm pack` of a checkout: builds what the package holds. Prints nothing on standard output, which belongs to npm.
import { ensureBuilt } from './build.mjs'
import { ensureInstalled } from './install.mjs'

await ensureInstalled()
await ensureBuilt()
