import { createHash } from 'node:crypto'
import { ProblemError } from '../../core/errors.ts'
import { escapeControls } from '../../core/text/text.ts'
import type { Consent as ConsentState } from '../../core/contract/source.ts'
import { createTopic, type Subscribable } from '../ports/topic.ts'
import type { ChosenContext } from './contexts.ts'
import { isSecretName, locateProgram, missingPlugin } from './execCredential.ts'
import type { ExecConfig, KubeconfigFile } from './kubeconfigFile.ts'
import type { NamedByOperator } from './namedByOperator.ts'

/** A request of a page that only the operator may allow. */
export interface ConsentRequest {
  /**
   * The same key means the same answer: it covers everything the answer is about, and a digest of the file it was read
   * from.
   */
  readonly key: string
  /** What would be done, for the page: `run /usr/bin/aws eks get-token`. */
  readonly what: string
  /** For the operator: what the console would do, line by line. */
  readonly lines: readonly string[]
  /** What to do instead, as a sentence. */
  readonly remedy: string
}

/** `undefined`: no answer before the signal aborted. */
export type Ask = (lines: readonly string[], signal: AbortSignal) => Promise<boolean | undefined>

export interface ConsentOptions {
  readonly named: NamedByOperator
  /** Where the operator is asked, out of reach of any page; absent if there is no such place. */
  readonly operator?: { readonly where: 'terminal' | 'window'; readonly ask: Ask } | undefined
  readonly now: () => number
  readonly timeoutMs?: number
}

/** What pages may do with credentials, and what the operator has to allow. */
export interface Consent {
  readonly named: NamedByOperator
  /** Resolves once the operator has allowed it. Rejects with `ProblemError`. */
  confirm(request: ConsentRequest): Promise<void>
  /** The question that is waiting for an answer. */
  readonly state: Subscribable<ConsentState>
}

const TIMEOUT_MS = 120_000

/**
 * Anyone who obtains the address of a page holds the same session as the page, so a request of the page does not count
 * as consent: the operator is asked elsewhere. One question waits at a time, a refusal is valid as long as this process
 * runs, and a confirmation covers only its key.
 */
export function createConsent({ named, operator, now, timeoutMs = TIMEOUT_MS }: ConsentOptions): Consent {
  const answers = new Map<string, Promise<boolean | undefined>>()
  const state = createTopic<ConsentState>()
  state.publish({ waiting: null })
  let asking = false

  const ask = async (request: ConsentRequest, { where, ask: put }: NonNullable<ConsentOptions['operator']>) => {
    asking = true
    const until = new Date(now() + timeoutMs).toISOString()
    state.publish({ waiting: { what: escapeControls(request.what), where, until } })
    try {
      return await put(request.lines.map(escapeControls), AbortSignal.timeout(timeoutMs))
    } finally {
      asking = false
      state.publish({ waiting: null })
    }
  }

  return {
    named,
    state,
    async confirm(request) {
      const { key, what, remedy } = request
      const refuse = (why: string): ProblemError => new ProblemError('credentials', `${why} ${remedy}`)
      let answer = answers.get(key)
      if (answer === undefined) {
        if (operator === undefined) {
          throw refuse(`A page may not ${escapeControls(what)}, and there is no terminal in which to ask you.`)
        }
        if (asking) throw refuse('Another question waits for your answer. Answer it, then try again.')
        answer = ask(request, operator)
        answers.set(key, answer)
      }
      const allowed = await answer.catch((error: unknown) => {
        answers.delete(key)
        throw error
      })
      if (allowed === true) return
      if (allowed === undefined) {
        answers.delete(key)
        throw refuse(`Not confirmed within ${timeoutMs / 1_000} s: the console may not ${escapeControls(what)}.`)
      }
      throw refuse(
        `You refused to let the console ${escapeControls(what)}; the refusal lasts until the console restarts.`,
      )
    },
  }
}

/**
 * The same context with the absolute path of its program, so that the program that is confirmed is the one that runs.
 */
export async function withLocatedProgram(chosen: ChosenContext, env: NodeJS.ProcessEnv): Promise<ChosenContext> {
  const { exec } = chosen.user
  if (!exec || isTrusted(chosen.userFile)) return chosen
  const command = await locateProgram(exec.command, env)
  if (command === undefined) throw missingPlugin(exec)
  return { ...chosen, user: { ...chosen.user, exec: { ...exec, command } } }
}

/**
 * What the operator has to confirm before a context is used; `undefined` if nothing. A file that the operator named may
 * run its program and send its token file; so may the default kubeconfig unless others can write it. `servers` are the
 * addresses that the target names instead of the context's own.
 */
export function consentRequest(
  { context, cluster, user, userFile, server }: ChosenContext,
  servers: readonly URL[],
  named: NamedByOperator,
): ConsentRequest | undefined {
  const trusted = isTrusted(userFile)
  const program = trusted ? undefined : (user.exec ?? undefined)
  const tokenFile = trusted || program !== undefined ? undefined : user.tokenFile || undefined
  // The cluster's own certificate authority identifies its servers; any other address could belong to anyone.
  const vouched =
    cluster['insecure-skip-tls-verify'] !== true &&
    Boolean(cluster['certificate-authority'] || cluster['certificate-authority-data'])
  const sends = Boolean(user.token || user.tokenFile || user.username || user.exec)
  const strangers =
    vouched || !sends
      ? []
      : servers.filter((url) => url.host !== server.host && !named.address(url)).map(({ host }) => host)
  const hosts = servers.length === 0 ? server.host : servers.map(({ host }) => host).join(', ')
  const deeds = [
    // Its arguments are shown to the operator only: a page must not read files by naming them.
    ...(program === undefined ? [] : [`run ${program.command}`]),
    ...(tokenFile === undefined ? [] : [`send the contents of ${tokenFile} to ${hosts}`]),
    ...(strangers.length === 0
      ? []
      : [`send the credentials of context ${JSON.stringify(context.name)} to ${strangers.join(', ')}`]),
  ]
  if (deeds.length === 0) return undefined
  const file = userFile?.path ?? context.file
  const lines = [
    `A page requests that the console ${deeds.join(' and ')}.`,
    `  kubeconfig  ${file}`,
    `  context     ${context.name}`,
    ...(program === undefined ? [] : programLines(program)),
    ...(userFile?.writableByOthers === true ? ['  Others on this machine can write this kubeconfig.'] : []),
  ]
  return {
    key: keyOf([userFile?.digest, context.name, cluster, program, tokenFile, strangers, lines]),
    what: deeds.join(' and '),
    lines,
    remedy: remedyOf(userFile, file, strangers),
  }
}

function isTrusted(file: KubeconfigFile | undefined): boolean {
  if (file === undefined || file.by === 'command-line') return true
  return file.by === 'default' && !file.writableByOthers
}

function remedyOf(userFile: KubeconfigFile | undefined, file: string, strangers: readonly string[]): string {
  if (strangers.length > 0) return 'Name the addresses when you start the console (--server URL).'
  const start = `Start the console with --kubeconfig ${file}`
  return userFile?.by === 'default'
    ? `Others on this machine can write ${file}: use chmod go-w, or start the console with --kubeconfig ${file}.`
    : `${start} to allow it.`
}

/** Quoted as for a shell, so that the end of each argument is visible. */
const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`

function programLines({ command, args, env }: ExecConfig): string[] {
  return [
    `  program     ${command}`,
    ...(args ?? []).map((argument) => `  argument    ${quoted(argument)}`),
    ...(env ?? []).map(({ name, value }) => `  sets        ${name}=${isSecretName(name) ? '[hidden]' : quoted(value)}`),
  ]
}

const keyOf = (parts: unknown): string => createHash('sha256').update(JSON.stringify(parts)).digest('hex')
