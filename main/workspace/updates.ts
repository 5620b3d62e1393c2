import { toProblem, ProblemError } from '../../core/errors.ts'
import { isNewer, ReleaseSchema, type UpdateState } from '../../core/contract/update.ts'
import { MS_PER_DAY } from '../../core/units.ts'
import { isLoopback } from '../cluster/redact.ts'
import type { Store } from '../store/store.ts'
import { parseJson } from '../../core/text/text.ts'

/** Time limit for a response, milliseconds, and size limit, bytes. */
const ANSWER_MS = 10_000
const MOST_BYTES = 64 * 1024

/**
 * An address that may be queried for releases: https, or http on this machine. Its path and query may be a secret, so
 * only its host is ever shown. Throws `ProblemError`.
 */
function releaseAddress(text: string): URL {
  const url = URL.parse(text)
  if (url !== null && mayAsk(url) && url.username === '' && url.password === '') return url
  throw new ProblemError(
    'invalid-input',
    'The address of an update check is an https address without a user, such as https://releases.example.com/apf-console.json.',
  )
}

const mayAsk = (url: URL): boolean => url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url))

/**
 * Requests the newest version from an address and compares it with our own. There is no default address: releases of
 * this console are not published yet. Nothing is downloaded or run, and only a version and a link that a browser may
 * follow are used from the response. A failure is a state as well.
 */
export async function checkForUpdate(address: string, own: string, ask: typeof fetch = fetch): Promise<UpdateState> {
  if (address === '') return { state: 'off' }
  try {
    const url = releaseAddress(address)
    const { version, url: link } = await readRelease(url, ask)
    if (!isNewer(version, own)) return { state: 'current', latest: version }
    const page = URL.parse(link)
    if (page === null || !mayAsk(page) || page.username !== '' || page.password !== '') {
      throw new ProblemError('bad-answer', `${url.host} names version ${version} with a link that is no https address.`)
    }
    return { state: 'newer', version, url: page.href }
  } catch (error) {
    return { state: 'failed', problem: toProblem(error) }
  }
}

async function readRelease(url: URL, ask: typeof fetch) {
  const odd = (what: string): ProblemError =>
    new ProblemError('bad-answer', `${url.host} ${what}; no version is known from it.`)
  let response: Response
  try {
    response = await ask(url, {
      headers: { accept: 'application/json', 'user-agent': 'apf-console' },
      // The user did not choose the address of a redirect.
      redirect: 'manual',
      credentials: 'omit',
      signal: AbortSignal.timeout(ANSWER_MS),
    })
  } catch {
    throw new ProblemError('unreachable', `${url.host} does not answer; the next check is in a day.`)
  }
  if (response.status >= 300 && response.status < 400) {
    await response.body?.cancel()
    throw odd('redirects elsewhere, which is not followed')
  }
  if (!response.ok) {
    await response.body?.cancel()
    throw odd(`answered ${response.status}`)
  }
  const text = await textWithin(response, MOST_BYTES).catch(() => undefined)
  if (text === undefined) throw odd(`answered with more than ${MOST_BYTES / 1024} KiB, or not to the end`)
  const release = ReleaseSchema.safeParse(parseJson(text))
  if (!release.success) throw odd('answered with something that is not {"version": "1.2.3", "url": "https://…"}')
  return release.data
}

/** `undefined` if there is more. */
async function textWithin(response: Response, most: number): Promise<string | undefined> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const piece of response.body ?? []) {
    bytes += piece.length
    // Leaving the loop cancels the rest.
    if (bytes > most) return undefined
    text += decoder.decode(piece, { stream: true })
  }
  return text + decoder.decode()
}

interface UpdateOptions {
  readonly store: Pick<Store, 'settings' | 'update'>
  readonly version: string
  /** Unix milliseconds. */
  readonly now: () => number
  readonly ask?: typeof fetch
}

/**
 * The result of the address in the settings, requested at most once a day for all consoles of this user, failures
 * included.
 */
export function createUpdates({ store, version, now, ask }: UpdateOptions): { read(): Promise<UpdateState> } {
  let reading: Promise<UpdateState> | undefined
  const read = async (): Promise<UpdateState> => {
    const { updateFrom } = await store.settings.read()
    if (updateFrom === '') return { state: 'off' }
    const kept = await store.update.read()
    const age = kept === undefined ? Number.POSITIVE_INFINITY : now() - kept.at
    // A result of another version does not apply to this one; a clock that was set back must not stop the checks.
    if (kept?.from === updateFrom && kept.by === version && age >= 0 && age < MS_PER_DAY) return kept.state
    const state = await checkForUpdate(updateFrom, version, ask)
    await store.update.write({ at: now(), from: updateFrom, by: version, state })
    return state
  }
  return {
    read: () => (reading ??= read().finally(() => (reading = undefined))),
  }
}
