import { createHash } from 'node:crypto'
import type { ConsentRequest } from './consent.ts'
import type { ChosenContext } from './contexts.ts'
import { isSecretName, locateProgram, missingPlugin } from './execCredential.ts'
import type { ExecConfig, KubeconfigFile } from './kubeconfigFile.ts'
import type { NamedByOperator } from './namedByOperator.ts'

/** The same context with the absolute path of its program, so that the one that is confirmed is the one that runs. */
export async function withLocatedProgram(chosen: ChosenContext, env: NodeJS.ProcessEnv): Promise<ChosenContext> {
  const { exec } = chosen.user
  if (!exec || isTrusted(chosen.userFile)) return chosen
  const command = await locateProgram(exec.command, env)
  if (command === undefined) throw missingPlugin(exec)
  return { ...chosen, user: { ...chosen.user, exec: { ...exec, command } } }
}

/**
 * What the operator has to confirm before a context is used; `undefined` when nothing. A file that the operator named runs
 * its program and sends its token file, the usual kubeconfig too unless others can write it. `servers` are the addresses
 * that the target names instead of the context's own.
 */
export function consentRequest(
  { context, cluster, user, userFile, server }: ChosenContext,
  servers: readonly URL[],
  named: NamedByOperator,
): ConsentRequest | undefined {
  const trusted = isTrusted(userFile)
  const program = trusted ? undefined : (user.exec ?? undefined)
  const tokenFile = trusted || program !== undefined ? undefined : user.tokenFile || undefined
  // An authority of the cluster's own vouches for its servers; any other address might be anybody's.
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
    // Its arguments are for the operator alone: a page must not read files by naming them.
    ...(program === undefined ? [] : [`run ${program.command}`]),
    ...(tokenFile === undefined ? [] : [`send the contents of ${tokenFile} to ${hosts}`]),
    ...(strangers.length === 0
      ? []
      : [`send the credentials of context ${JSON.stringify(context.name)} to ${strangers.join(', ')}`]),
  ]
  if (deeds.length === 0) return undefined
  const file = userFile?.path ?? context.file
  const lines = [
    `A page asks the console to ${deeds.join(' and to ')}.`,
    `  kubeconfig  ${file}`,
    `  context     ${context.name}`,
    ...(program === undefined ? [] : programLines(program)),
    ...(userFile?.writableByOthers === true ? ['  Others on this machine can write this kubeconfig.'] : []),
  ]
  return {
    key: keyOf([userFile?.digest, context.name, cluster, program, tokenFile, strangers, lines]),
    what: deeds.join(' and to '),
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

/** As a shell would need it, so that it is seen where an argument ends. */
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
