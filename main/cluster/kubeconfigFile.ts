import { dirname, isAbsolute, join } from 'node:path'
import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { parseDocument, stringify } from 'yaml'
import { z } from 'zod'
import { ProblemError } from '../../core/contract/errors.ts'
import { UnreadableFile, type OpenOptions, openRegular, readOpened } from '../files/files.ts'
import type { NamedByOperator, NamedFile } from './namedByOperator.ts'

const text = z.string().nullish()

const ClusterEntrySchema = z.object({
  name: z.string(),
  cluster: z.object({
    server: z.string(),
    'certificate-authority': text,
    'certificate-authority-data': text,
    'insecure-skip-tls-verify': z.boolean().nullish(),
    'tls-server-name': text,
    'proxy-url': text,
  }),
})

const ExecSchema = z.object({
  apiVersion: text,
  command: z.string(),
  args: z.array(z.string()).nullish(),
  env: z.array(z.object({ name: z.string(), value: z.string() })).nullish(),
  installHint: text,
  provideClusterInfo: z.boolean().nullish(),
  interactiveMode: text,
})
/** A command that prints credentials, as specified in a kubeconfig. */
export type ExecConfig = z.infer<typeof ExecSchema>

const UserEntrySchema = z.object({
  name: z.string(),
  user: z
    .object({
      'client-certificate': text,
      'client-certificate-data': text,
      'client-key': text,
      'client-key-data': text,
      token: text,
      tokenFile: text,
      username: text,
      password: text,
      as: text,
      'as-groups': z.array(z.string()).nullish(),
      exec: ExecSchema.nullish(),
      'auth-provider': z.looseObject({ name: z.string() }).nullish(),
    })
    .nullish(),
})

const ContextEntrySchema = z.object({
  name: z.string(),
  context: z.object({ cluster: z.string(), user: text }),
})

const KubeconfigSchema = z.object({
  clusters: z.array(ClusterEntrySchema).nullish(),
  users: z.array(UserEntrySchema).nullish(),
  contexts: z.array(ContextEntrySchema).nullish(),
  'current-context': text,
})

export type ClusterConfig = z.infer<typeof ClusterEntrySchema>['cluster']
export type UserConfig = NonNullable<z.infer<typeof UserEntrySchema>['user']>

export interface ContextConfig {
  /** The file that contains it. */
  readonly file: string
  readonly name: string
  readonly cluster: string
  readonly user: string
}

/** A file as it was read: the content that is confirmed is the content that is used. */
export type KubeconfigFile = NamedFile & Pick<CredentialFile, 'digest' | 'writableByOthers'>

/** Kubeconfig files merged: of entries with the same name the first is used, as in kubectl. Paths are absolute. */
export interface Kubeconfig {
  readonly files: readonly string[]
  readonly currentContext: string | undefined
  readonly contexts: readonly ContextConfig[]
  readonly clusters: ReadonlyMap<string, ClusterConfig>
  /** Each with the file that contains it. */
  readonly users: ReadonlyMap<string, { readonly user: UserConfig; readonly file: KubeconfigFile }>
}

interface ReadFile {
  readonly file: KubeconfigFile
  readonly content: string
}

/**
 * Reads kubeconfig files and contacts nothing. If there are several, a file that does not exist is skipped, as in
 * kubectl. Rejects with `ProblemError` when there is no file or one cannot be parsed; never quotes a value from a file.
 */
export async function readKubeconfig(files: readonly string[], named: NamedByOperator): Promise<Kubeconfig> {
  const read = await Promise.all(files.map((file) => readIfThere(file, named)))
  const present = read.filter((one) => one !== undefined)
  if (present.length === 0) {
    throw new ProblemError(
      'not-found',
      `There is no kubeconfig at ${files.join(', ')}; name one, or set the variable KUBECONFIG.`,
    )
  }
  return merge(present.map(({ file, content }) => ({ file, config: parseKubeconfig(file.path, content) })))
}

async function readIfThere(path: string, named: NamedByOperator): Promise<ReadFile | undefined> {
  const found = await named.file(path)
  try {
    const { content, digest, writableByOthers } = await readCredentialFile(found.path, { pipes: found.by !== 'page' })
    return { file: { ...found, digest, writableByOthers }, content }
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error
    if (error.reason === 'missing') return undefined
    throw new ProblemError('invalid-input', `The kubeconfig ${path} ${error.why}.`)
  }
}

type RawKubeconfig = z.infer<typeof KubeconfigSchema>

/** Parses the text of one file. Throws `ProblemError` with the location of the error, and without its text. */
function parseKubeconfig(file: string, content: string): RawKubeconfig {
  const document = parseDocument(content, { prettyErrors: false })
  const fault = document.errors[0]
  if (fault !== undefined) {
    const line = content.slice(0, fault.pos[0]).split('\n').length
    throw new ProblemError('invalid-input', `The kubeconfig ${file} is not valid YAML at line ${line} (${fault.code}).`)
  }
  let value: unknown
  try {
    value = document.toJS({ maxAliasCount: 100 })
  } catch {
    throw new ProblemError('invalid-input', `The kubeconfig ${file} uses aliases that cannot be resolved.`)
  }
  const parsed = KubeconfigSchema.safeParse(value ?? {})
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  const path = issue === undefined || issue.path.length === 0 ? 'the top' : issue.path.map(String).join('.')
  throw new ProblemError(
    'invalid-input',
    `The kubeconfig ${file} is invalid at ${path}; kubectl config view shows how it is parsed.`,
    issue?.message,
  )
}

function merge(files: readonly { readonly file: KubeconfigFile; readonly config: RawKubeconfig }[]): Kubeconfig {
  const clusters = new Map<string, ClusterConfig>()
  const users = new Map<string, { readonly user: UserConfig; readonly file: KubeconfigFile }>()
  const contexts = new Map<string, ContextConfig>()
  let currentContext: string | undefined
  for (const { file, config } of files) {
    const folder = dirname(file.path)
    for (const { name, cluster } of config.clusters ?? []) {
      if (!clusters.has(name)) clusters.set(name, withAbsolute(folder, cluster, ['certificate-authority']))
    }
    for (const { name, user: entry } of config.users ?? []) {
      if (users.has(name)) continue
      const found = withAbsolute(folder, entry ?? {}, ['client-certificate', 'client-key', 'tokenFile'])
      const user = found.exec ? { ...found, exec: withAbsoluteCommand(folder, found.exec) } : found
      users.set(name, { user, file })
    }
    for (const { name, context } of config.contexts ?? []) {
      if (!contexts.has(name))
        contexts.set(name, { file: file.path, name, cluster: context.cluster, user: context.user ?? '' })
    }
    currentContext ??= config['current-context'] || undefined
  }
  return {
    files: files.map(({ file }) => file.path),
    currentContext,
    contexts: [...contexts.values()],
    clusters,
    users,
  }
}

/** Paths in a kubeconfig are relative to the folder of its file. */
function withAbsolute<T extends object>(folder: string, entry: T, keys: readonly (keyof T)[]): T {
  const result = { ...entry }
  for (const key of keys) {
    const path = entry[key]
    if (typeof path === 'string' && path !== '') Object.assign(result, { [key]: absolute(folder, path) })
  }
  return result
}

/** A command without a slash is found on PATH; one with a slash is a path like the others. */
function withAbsoluteCommand(folder: string, exec: ExecConfig): ExecConfig {
  return /[\\/]/.test(exec.command) ? { ...exec, command: absolute(folder, exec.command) } : exec
}

function absolute(folder: string, path: string): string {
  return isAbsolute(path) ? path : join(folder, path)
}

/** Kubeconfigs with many embedded certificates are a few hundred kilobytes; tokens, keys and certificates are smaller. */
const MOST_BYTES = 4 * 1024 * 1024

interface CredentialFile {
  readonly content: string
  /** SHA-256 of the content. */
  readonly digest: string
  /** Whether other users of this machine can change it; always false on systems without such modes. */
  readonly writableByOthers: boolean
  /** Whether other users of this machine can read or change it; always false on systems without such modes. */
  readonly openToOthers: boolean
}

/** Reads a small file once. Rejects with `UnreadableFile`, whose message quotes nothing of it. */
export async function readCredentialFile(path: string, options: OpenOptions = {}): Promise<CredentialFile> {
  const handle = await openRegular(path, options)
  try {
    const about = await handle.stat()
    const bytes = await readOpened(path, handle, { mostBytes: MOST_BYTES })
    return {
      content: bytes.toString('utf8'),
      digest: createHash('sha256').update(bytes).digest('hex'),
      writableByOthers: isOpen(about) || isOpenFolder(await stat(dirname(path))),
      openToOthers: process.platform !== 'win32' && (about.mode & OTHERS) !== 0,
    }
  } finally {
    await handle.close()
  }
}

interface Modes {
  readonly mode: number
  readonly uid: number
  readonly gid: number
}

const OTHERS = 0o077
const OTHERS_WRITE = 0o002
const GROUP_WRITES = 0o020
const STICKY = 0o1000

/** A user-private group, as many distributions create it, has no other members. */
function isOpen({ mode, uid, gid }: Modes): boolean {
  if (process.platform === 'win32') return false
  return (mode & OTHERS_WRITE) !== 0 || ((mode & GROUP_WRITES) !== 0 && gid !== uid)
}

/** In a folder with the sticky bit (/tmp) others can add files, but not replace this one. */
const isOpenFolder = (folder: Modes): boolean => isOpen(folder) && (folder.mode & STICKY) === 0

/** A kubeconfig with one cluster, one user and one context, all with the same name. */
export const kubeconfigText = (name: string, cluster: Readonly<Record<string, string>>, user: { token?: string }) =>
  stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster }],
    users: [{ name, user }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  })
