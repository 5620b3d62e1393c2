import { openStore } from '../store/store.ts'
import { checkForUpdate } from '../workspace/updates.ts'
import { problemLines, type Console, type ExitCode } from './console.ts'
import { UsageError, type Command, type Given } from './usage.ts'

/**
 * Prints the version; with --check, requests the latest version from the address in the settings, or from another one.
 */
export const versionCommand: Command = {
  options: { check: { type: 'boolean' }, from: { type: 'string' } },
  run: runVersion,
}

async function runVersion(given: Given, console: Console): Promise<ExitCode> {
  const from = given.value('from')
  if (!given.flag('check')) {
    if (from !== undefined) throw new UsageError('--from goes with --check.')
    console.print([console.version])
    return 0
  }
  const state = await checkForUpdate(from ?? (await addressIn(console.stateDir)), console.version)
  switch (state.state) {
    case 'off':
      throw new UsageError(
        'No update address is configured; give one with --from, or set one on the Connection screen.',
      )
    case 'failed':
      for (const line of problemLines(state.problem)) console.tell(line)
      return 2
    case 'current':
      console.print([`${console.version}: there is no newer version`])
      return 0
    case 'newer':
      console.print([`${console.version}: ${state.version} is out, ${state.url}`])
      return 1
  }
}

async function addressIn(stateDir: string): Promise<string> {
  const store = openStore(stateDir)
  try {
    return (await store.settings.read()).updateFrom
  } finally {
    store.close()
  }
}
