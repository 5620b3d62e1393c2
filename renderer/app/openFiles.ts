import { toProblem } from '../../core/contract/errors.ts'
import { readFiles, type Readable } from '../components/files.ts'
import { connectSource } from '../state/connection.ts'
import { openScreen } from '../state/route.ts'
import { say } from '../state/shell.ts'

/** Opens files as a source; `choose` may ask for them. */
export async function openAsSource(choose: () => Promise<readonly Readable[]>): Promise<void> {
  try {
    const files = await readFiles(await choose())
    await connectSource({ kind: 'files', files })
    openScreen('overview')
  } catch (thrown) {
    say(toProblem(thrown).message)
  }
}

/** Asks for files to open. Only works while a key press or a click is handled. */
export function askForFiles(): void {
  const input = document.createElement('input')
  input.type = 'file'
  input.multiple = true
  input.addEventListener('change', () => {
    const chosen = Array.from(input.files ?? [])
    if (chosen.length > 0) void openAsSource(async () => chosen)
  })
  input.click()
}
