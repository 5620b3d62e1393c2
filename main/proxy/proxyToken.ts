import { randomBytes } from 'node:crypto'
import { ProblemError } from '../../core/errors.ts'
import type { ProxyListen } from '../../core/contract/live.ts'
import { lookAt, readSmall, writePrivate } from './smallFiles.ts'

const FEWEST_CHARACTERS = 16

/** Whether it fits into a header and is not easily guessed. */
export const isToken = (text: string): boolean => text.length >= FEWEST_CHARACTERS && /^[\x21-\x7e]+$/.test(text)
/** The requirements for a token, as the rest of a sentence. */
export const TOKEN_RULE = `at least ${FEWEST_CHARACTERS} characters, without spaces`

export interface ProxyToken {
  readonly token: string
  /** The path of the token, and other facts that the operator should know; never the token. */
  readonly notes: readonly string[]
}

/**
 * The token that clients of the proxy send: from the file that the operator named, or a generated one, which stays the
 * same as long as the file `keptIn` exists. White space around it does not count. Rejects with `ProblemError`.
 */
export async function readToken(
  wish: Exclude<ProxyListen['token'], undefined | { kind: 'none' }>,
  keptIn: string,
): Promise<ProxyToken> {
  if (wish.kind === 'generated') {
    return {
      token: await keptToken(keptIn),
      notes: [`Clients of the proxy send the token in ${keptIn}, which only this user can read.`],
    }
  }
  const { text, openToOthers } = await readSmall(wish.file, 'The token file')
  const token = text.trim()
  if (token === '') {
    throw new ProblemError('invalid-input', `The token file ${wish.file} is empty; write ${TOKEN_RULE}, into it.`)
  }
  if (!isToken(token)) {
    throw new ProblemError('invalid-input', `The token in ${wish.file} must be one line of ${TOKEN_RULE}.`)
  }
  const notes = openToOthers
    ? [`The token file ${wish.file} can be read by other users of this machine. Run chmod 600 on it.`]
    : []
  return { token, notes }
}

async function keptToken(file: string): Promise<string> {
  const found = await lookAt(file)
  const kept = found.kind === 'file' ? found.text.trim() : ''
  if (isToken(kept) && found.kind === 'file' && !found.openToOthers) return kept
  // A token that other users could read is written again unchanged: its clients use it.
  const token = isToken(kept) ? kept : randomBytes(24).toString('base64url')
  await writePrivate(file, `${token}\n`)
  return token
}
