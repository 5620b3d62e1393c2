/**
 * A console as far as its store goes, to be killed or run as another user: `storeChild.ts FOLDER write NAME COUNT` adds
 * that many entries to the journal and prints the id of each once it is kept; `storeChild.ts FOLDER tell` prints what
 * it finds and what it reports about it, as JSON.
 */
import type { Problem } from '../../core/errors.ts'
import { openStore } from '../../main/store/store.ts'

const [folder = '', task = '', name = '', count = '0'] = process.argv.slice(2)
const store = openStore(folder)
let notices: readonly Problem[] = []
store.notices.subscribe((latest) => (notices = latest), new AbortController().signal)

async function write(): Promise<void> {
  for (let n = 0; n < Number(count); n++) {
    const id = `${name}-${n}`
    await store.journal.change('t', id, () => ({
      id,
      at: new Date().toISOString(),
      target: 't',
      targetKey: 't',
      label: 'x'.repeat(n % 500),
      changes: [{ kind: 'FlowSchema', name: id, from: null, to: null, state: 'applied' }],
    }))
    process.stdout.write(`${id}\n`)
  }
}

async function tell(): Promise<void> {
  const settings = await store.settings.change({ density: 'compact' }).catch((error: unknown) => String(error))
  process.stdout.write(JSON.stringify({ settings, notices: notices.map(({ message }) => message) }))
}

await (task === 'write' ? write() : tell())
store.close()
