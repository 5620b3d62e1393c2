import { spawn, spawnSync, type ChildProcess, type ChildProcessByStdio } from 'node:child_process'
import type { Readable } from 'node:stream'
import { access, constants } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'
import { z } from 'zod'
import { ProblemError, messageOf } from '../../core/errors.ts'
import { escapeControls, escapeLines } from '../../core/text/text.ts'
import { unixMsOf } from '../../core/units.ts'
import type { ClusterConfig, ExecConfig } from './kubeconfigFile.ts'
import { redact, redactCredentials } from './redact.ts'

/** The output of a credential plugin. */
export interface ExecCredential {
  readonly token?: string
  /** PEM. */
  readonly certificate?: string
  readonly key?: string
  /** Unix milliseconds; absent means until the server refuses it. */
  readonly expiresAt?: number
}

const CredentialSchema = z.object({
  kind: z.literal('ExecCredential'),
  status: z.object({
    token: z.string().optional(),
    clientCertificateData: z.string().optional(),
    clientKeyData: z.string().optional(),
    expirationTimestamp: z.string().optional(),
  }),
})

const OUTPUT_BYTES = 1024 * 1024
const ERROR_BYTES = 4 * 1024

/** The environment of the plugin. `timeoutMs` allows for plugins that contact a cloud. */
export interface ExecSurroundings {
  readonly env: NodeJS.ProcessEnv
  readonly timeoutMs: number
}

/**
 * The program as an absolute path, found on the console's own PATH: an entry of the kubeconfig's `env` must not decide
 * which one is run. `undefined` when there is none.
 */
export async function locateProgram(command: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  // Windows appends suffixes of its own, which spawn handles.
  if (process.platform === 'win32') return command
  const folders = isAbsolute(command)
    ? ['']
    : (env['PATH'] ?? '').split(delimiter).filter((folder) => isAbsolute(folder))
  for (const folder of folders) {
    const path = folder === '' ? command : join(folder, command)
    if (
      await access(path, constants.X_OK).then(
        () => true,
        () => false,
      )
    )
      return path
  }
  return undefined
}

/** The problem for a missing plugin, with the install hint of the kubeconfig. */
export function missingPlugin({ command, installHint }: ExecConfig): ProblemError {
  return new ProblemError(
    'credentials',
    `The credential plugin ${escapeControls(command)} of the kubeconfig is not installed on this machine, or not executable.`,
    hintOf(installHint),
  )
}

const hintOf = (hint: string | null | undefined): string | undefined =>
  escapeLines((hint ?? '').trim().slice(0, ERROR_BYTES)) || undefined

/** Whether the name of a variable in a kubeconfig suggests a secret. */
export const isSecretName = (name: string): boolean => /token|secret|passw|key/i.test(name)

/**
 * Runs the credential plugin of a kubeconfig user as client-go does: the cluster in KUBERNETES_EXEC_INFO, credentials
 * on standard output. Rejects with `ProblemError`; its standard error is in the details, its standard output never is,
 * because that may contain the token.
 */
export async function runExecPlugin(
  exec: ExecConfig,
  cluster: ClusterConfig,
  { env, timeoutMs }: ExecSurroundings,
): Promise<ExecCredential> {
  const name = escapeControls(exec.command)
  if (exec.interactiveMode === 'Always') {
    throw new ProblemError(
      'credentials',
      `The credential plugin ${name} of the kubeconfig needs a terminal, which the console does not provide; use a token or a client certificate.`,
    )
  }
  const program = await locateProgram(exec.command, env)
  if (program === undefined) throw missingPlugin(exec)
  const own = Object.fromEntries((exec.env ?? []).map((variable) => [variable.name, variable.value]))
  underWay.add(name)
  const output = await run(
    name,
    program,
    exec.args ?? [],
    { ...env, ...own, KUBERNETES_EXEC_INFO: execInfo(exec, cluster) },
    timeoutMs,
  ).finally(() => underWay.delete(name))
  const secrets = Object.entries(own).flatMap(([key, value]) => (isSecretName(key) ? [value] : []))
  const wordsOf = (stderr: string): string | undefined => {
    const hidden = escapeLines(redactCredentials(redact(stderr, secrets)))
    const hint = hintOf(exec.installHint)
    return [hidden, ...(hint === undefined ? [] : [`Install hint: ${hint}`])].join('\n').trim() || undefined
  }

  if (output.kind === 'missing') throw missingPlugin(exec)
  if (output.kind === 'timeout') {
    throw new ProblemError('credentials', unfinished(name, timeoutMs), wordsOf(output.stderr))
  }
  if (output.code !== 0) {
    throw new ProblemError(
      'credentials',
      `The credential plugin ${name} of the kubeconfig failed with status ${output.code}. Its standard error shows the reason; run it by hand to sign in.`,
      wordsOf(output.stderr),
    )
  }
  return readCredential(name, output.stdout)
}

/** Plugins that were started and have not finished. */
const underWay = new Set<string>()

/** The sentence about a plugin that a caller waited for as long as it could; `undefined` when none is under way. */
export function pluginUnderWay(waitedMs: number): string | undefined {
  const [name] = underWay
  return name === undefined ? undefined : unfinished(name, waitedMs)
}

const unfinished = (name: string, waitedMs: number): string =>
  `The credential plugin ${name} of the kubeconfig did not finish within ${waitedMs / 1_000} s; it may be waiting for a sign-in. Run it by hand to sign in.`

type Output =
  | { readonly kind: 'missing' }
  | { readonly kind: 'timeout'; readonly stderr: string }
  | { readonly kind: 'ended'; readonly code: number; readonly stdout: string; readonly stderr: string }

/** Rejects with `ProblemError` where the system cannot start the program. */
function run(
  name: string,
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  timeoutMs: number,
): Promise<Output> {
  return new Promise((resolve, reject) => {
    const refuse = (error: unknown): void =>
      reject(
        new ProblemError(
          'credentials',
          `The credential plugin ${name} of the kubeconfig cannot be started; check its args and env.`,
          escapeLines(messageOf(error)),
        ),
      )
    let child: ChildProcessByStdio<null, Readable, Readable>
    try {
      // In a group of its own, so that what it starts ends with it.
      child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'], detached: process.platform !== 'win32' })
    } catch (error) {
      refuse(error)
      return
    }
    const end = (): void => endGroup(child)
    process.once('exit', end)
    let stdout = ''
    let stderr = ''
    const timer = setTimeout(() => {
      end()
      process.off('exit', end)
      // What left the group may keep the pipes open: the process does not wait for it.
      child.stdout.destroy()
      child.stderr.destroy()
      resolve({ kind: 'timeout', stderr: stderr.trim() })
    }, timeoutMs)
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      if (stdout.length < OUTPUT_BYTES) stdout += piece
    })
    child.stderr.setEncoding('utf8').on('data', (piece: string) => {
      stderr = (stderr + piece).slice(0, ERROR_BYTES)
    })
    child.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer)
      process.off('exit', end)
      if (error.code === 'ENOENT' || error.code === 'EACCES') resolve({ kind: 'missing' })
      else refuse(error)
    })
    child.on('close', (code) => {
      clearTimeout(timer)
      process.off('exit', end)
      resolve({ kind: 'ended', code: code ?? 1, stdout, stderr: stderr.trim() })
    })
  })
}

/** Ends a program and whatever it started. */
function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    if (process.platform === 'win32') spawnSync('taskkill', ['/pid', String(pid), '/t', '/f'], { stdio: 'ignore' })
    else process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

function execInfo(exec: ExecConfig, cluster: ClusterConfig): string {
  const info = {
    server: cluster.server,
    'certificate-authority-data': cluster['certificate-authority-data'] ?? undefined,
    'insecure-skip-tls-verify': cluster['insecure-skip-tls-verify'] ?? undefined,
    'tls-server-name': cluster['tls-server-name'] ?? undefined,
    'proxy-url': cluster['proxy-url'] ?? undefined,
  }
  return JSON.stringify({
    kind: 'ExecCredential',
    apiVersion: exec.apiVersion,
    spec: { interactive: false, ...(exec.provideClusterInfo === true ? { cluster: info } : {}) },
  })
}

function readCredential(name: string, stdout: string): ExecCredential {
  const refuse = (why: string): ProblemError =>
    new ProblemError('credentials', `The credential plugin ${name} of the kubeconfig ${why}; run it by hand to see.`)
  let value: unknown
  try {
    value = JSON.parse(stdout)
  } catch {
    throw refuse('did not print JSON')
  }
  const parsed = CredentialSchema.safeParse(value)
  if (!parsed.success) throw refuse('did not print an ExecCredential')
  const { token, clientCertificateData, clientKeyData, expirationTimestamp } = parsed.data.status
  if (token === undefined && clientCertificateData === undefined)
    throw refuse('printed neither a token nor a certificate')
  const expiresAt = unixMsOf(expirationTimestamp ?? '')
  return {
    ...(token === undefined ? {} : { token }),
    ...(clientCertificateData === undefined ? {} : { certificate: clientCertificateData }),
    ...(clientKeyData === undefined ? {} : { key: clientKeyData }),
    ...(Number.isNaN(expiresAt) ? {} : { expiresAt }),
  }
}
