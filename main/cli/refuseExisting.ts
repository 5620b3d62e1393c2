import { stat } from 'node:fs/promises'
import { ProblemError } from '../../core/errors.ts'

/** An existing file is replaced only on request. */
export async function refuseExisting(file: string, force: boolean): Promise<void> {
  if (force || (await stat(file).catch(() => undefined)) === undefined) return
  throw new ProblemError('invalid-input', `${file} exists; name another file, or replace it with --force.`)
}
