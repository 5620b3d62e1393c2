import { spawn } from 'node:child_process'
import { z } from 'zod'
import { ProblemError } from '../../core/contract/errors.ts'
import type { ClusterConfig, ExecConfig } from './kubeconfigFile.ts'
import { redact, redactCredentials } from './redact.ts'

/** What a credential plugin printed. */
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

const DEFAULT_API = 'client.authentication.k8s.io/v1'
const OUTPUT_BYTES = 1024 * 1024
const ERROR_BYTES = 4 * 1024

/** Where the plugin runs. `timeoutMs` allows for plugins that ask a cloud. */
export interface ExecSurroundings {
  readonly env: NodeJS.ProcessEnv
  readonly timeoutMs: number
}

/**
 * Runs the credential plugin of a kubeconfig user as client-go does: the cluster in KUBERNETES_EXEC_INFO, credentials on
 * standard output. Rejects with `ProblemError`; what it wrote to standard error is in the details, what it wrote to
 * standard output never is, because that may hold the token.
 */
export async function runExecPlugin(
  exec: ExecConfig,
  cluster: ClusterConfig,
  { env, timeoutMs }: ExecSurroundings,
): Promise<ExecCredential> {
  const name = exec.command
  if (exec.interactiveMode === 'Always') {
    throw new ProblemError(
      'unsupported',
      `The credential plugin ${name} of the kubeconfig wants a terminal, which the console does not have; use a token or a client certificate.`,
    )
  }
  const own = Object.fromEntries((exec.env ?? []).map((variable) => [variable.name, variable.value]))
  const output = await run(exec, { ...env, ...own, KUBERNETES_EXEC_INFO: execInfo(exec, cluster) }, timeoutMs)
  const ownSecrets = Object.keys(own).filter((key) => /token|secret|passw|key/i.test(key))
  const hide = (words: string): string =>
    redactCredentials(
      redact(
        words,
        ownSecrets.map((key) => own[key] ?? ''),
      ),
    )

  if (output.kind === 'missing') {
    const hint = exec.installHint ?? ''
    throw new ProblemError(
      'not-found',
      `The credential plugin ${name} of the kubeconfig is not installed on this machine.`,
      ...(hint === '' ? [] : [hint.trim()]),
    )
  }
  if (output.kind === 'timeout') {
    throw new ProblemError(
      'timeout',
      `The credential plugin ${name} of the kubeconfig did not finish within ${timeoutMs / 1_000} s; it may be waiting for a sign-in.`,
      hide(output.stderr),
    )
  }
  if (output.code !== 0) {
    throw new ProblemError(
      'unauthorized',
      `The credential plugin ${name} of the kubeconfig failed with status ${output.code}; the details are its own words.`,
      hide(output.stderr),
    )
  }
  return readCredential(name, output.stdout)
}

type Output =
  | { readonly kind: 'missing' }
  | { readonly kind: 'timeout'; readonly stderr: string }
  | { readonly kind: 'ended'; readonly code: number; readonly stdout: string; readonly stderr: string }

function run(exec: ExecConfig, env: NodeJS.ProcessEnv, timeoutMs: number): Promise<Output> {
  return new Promise((resolve) => {
    const child = spawn(exec.command, exec.args ?? [], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    let stdout = ''
    let stderr = ''
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      // A grandchild may hold the pipes open: the child is not waited for.
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
    child.on('error', () => {
      clearTimeout(timer)
      resolve({ kind: 'missing' })
    })
    child.on('close', (code) => {
      clearTimeout(timer)
      resolve({ kind: 'ended', code: code ?? 1, stdout, stderr: stderr.trim() })
    })
  })
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
    apiVersion: exec.apiVersion ?? DEFAULT_API,
    spec: { interactive: false, ...(exec.provideClusterInfo === true ? { cluster: info } : {}) },
  })
}

function readCredential(name: string, stdout: string): ExecCredential {
  const refuse = (why: string): ProblemError =>
    new ProblemError('bad-answer', `The credential plugin ${name} of the kubeconfig ${why}; run it by hand to see.`)
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
  const expiresAt = Date.parse(expirationTimestamp ?? '')
  return {
    ...(token === undefined ? {} : { token }),
    ...(clientCertificateData === undefined ? {} : { certificate: clientCertificateData }),
    ...(clientKeyData === undefined ? {} : { key: clientKeyData }),
    ...(Number.isNaN(expiresAt) ? {} : { expiresAt }),
  }
}
