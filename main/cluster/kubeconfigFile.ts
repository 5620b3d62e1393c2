import { dirname, isAbsolute, join } from 'node:path'
import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { stringify } from 'yaml'
import { z } from 'zod'
import { ProblemError } from '../../core/errors.ts'
import { jsonOf, positionsIn } from '../../core/manifest/tree.ts'
import { readYaml } from '../../core/manifest/yamlTree.ts'
import { UnreadableFile, type OpenOptions, openRegular, readOpened } from '../files/files.ts'
import type { NamedByOperator, NamedFile } from './namedByOperator.ts'
import { otherText } from '../../core/text/otherTexts.ts'

/**
 * The fields of a kubeconfig, with the types that kubectl requires: in YAML `yes` is true, but "yes" and 1 are neither
 * true nor false, and a number is not a name. Fields that kubectl does not know are ignored, as it ignores them.
 */
const text = z.string().nullish()
const flag = z.boolean().nullish()
const texts = z.array(z.string()).nullish()
/** Standard base64 with padding; line ends are ignored. */
const base64 = text.refine(
  (data) =>
    /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test((data ?? '').replaceAll(/[\r\n]/g, '')),
  'is not base64',
)
/** Of these only the shape decides whether kubectl reads a file. */
const extensions = z.array(z.object({ name: text })).nullish()
const word = text.transform((given) => given ?? '')

const ClusterSchema = z.object({
  server: word,
  'certificate-authority': text,
  'certificate-authority-data': base64,
  'insecure-skip-tls-verify': flag,
  'tls-server-name': text,
  'proxy-url': text,
  'disable-compression': flag,
  extensions,
})

const ExecSchema = z.object({
  apiVersion: text,
  command: word,
  args: texts,
  env: z.array(z.object({ name: word, value: word })).nullish(),
  installHint: text,
  provideClusterInfo: flag,
  interactiveMode: text,
})
/** A command that prints credentials, as specified in a kubeconfig. */
export type ExecConfig = z.infer<typeof ExecSchema>

const UserSchema = z.object({
  'client-certificate': text,
  'client-certificate-data': base64,
  'client-key': text,
  'client-key-data': base64,
  token: text,
  tokenFile: text,
  username: text,
  password: text,
  as: text,
  'as-uid': text,
  'as-groups': texts,
  'as-user-extra': z.record(z.string(), texts).nullish(),
  exec: ExecSchema.nullish(),
  'auth-provider': z.looseObject({ name: word }).nullish(),
  extensions,
})

const ContextSchema = z.object({ cluster: word, user: word, namespace: text, extensions })

/** An absent entry is an empty one. */
const orEmpty = <T extends z.ZodType>(entry: T) => z.preprocess((given) => given ?? {}, entry)

const entries = <T extends { readonly name: string }>(entry: z.ZodType<T>) =>
  z
    .array(entry)
    .nullish()
    .transform((given) => given ?? [])
    .refine((given) => new Set(given.map((one) => one.name)).size === given.length, 'has a name twice')

const KubeconfigSchema = z.object({
  apiVersion: z.enum(['', 'v1']).nullish(),
  kind: z.enum(['', 'Config']).nullish(),
  clusters: entries(z.object({ name: word, cluster: orEmpty(ClusterSchema) })),
  users: entries(z.object({ name: word, user: orEmpty(UserSchema) })),
  contexts: entries(z.object({ name: word, context: orEmpty(ContextSchema) })),
  'current-context': text,
  preferences: z.looseObject({ extensions }).nullish(),
  extensions,
})

export type ClusterConfig = z.infer<typeof ClusterSchema>
export type UserConfig = z.infer<typeof UserSchema>

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
    const { bytes, digest, writableByOthers } = await readCredentialFile(found.path, { pipes: found.by !== 'page' })
    return { file: { ...found, digest, writableByOthers }, content: decoded(path, bytes) }
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error
    if (error.reason === 'missing') return undefined
    throw new ProblemError('invalid-input', `The kubeconfig ${path} ${error.why}.`)
  }
}

type RawKubeconfig = z.infer<typeof KubeconfigSchema>

/** Parses the text of one file. Throws `ProblemError` with the location of the error, and without its text. */
function parseKubeconfig(file: string, content: string): RawKubeconfig {
  // Like kubectl, which reads the first document only.
  const [document] = readYaml(content)
  const fault = document?.problems[0]
  // kubectl refuses documents of YAML 1.2 that say so.
  const isOfOtherYaml = /^(?:#.*\n|\s*\n)*%YAML\s+(?!1\.1\s)/.test(content)
  if (isOfOtherYaml || (document !== undefined && document.tree === undefined && fault !== undefined)) {
    const { line } = positionsIn(content)(fault?.at.from ?? 0)
    throw new ProblemError('invalid-input', `The kubeconfig ${file} is not valid YAML at line ${line}.`)
  }
  const parsed = KubeconfigSchema.safeParse(document?.tree === undefined ? {} : jsonOf(document.tree))
  if (parsed.success) return parsed.data
  // Of UTF-16 without a mark the field is said, as kubectl does.
  const other = content.includes('\0') ? undefined : otherText(content)
  if (other !== undefined) throw new ProblemError('invalid-input', `The kubeconfig ${file} ${other}.`)
  const issue = parsed.error.issues[0]
  const path = issue === undefined || issue.path.length === 0 ? 'the top' : issue.path.map(String).join('.')
  throw new ProblemError(
    'invalid-input',
    `The kubeconfig ${file} is invalid at ${path}${issue?.code === 'custom' ? `, which ${issue.message}` : ''}; kubectl config view shows how it is parsed.`,
    issue?.message,
  )
}

/** UTF-8, or UTF-16 with a byte order mark, as PowerShell writes it. Throws for bytes that are neither. */
function decoded(file: string, bytes: Uint8Array): string {
  const [first, second] = bytes
  const wide = first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
  try {
    return new TextDecoder(wide, { fatal: true }).decode(bytes).replaceAll(/\r\n?/g, '\n')
  } catch {
    throw new ProblemError('invalid-input', `The kubeconfig ${file} is not UTF-8; save it as UTF-8.`)
  }
}

function merge(files: readonly { readonly file: KubeconfigFile; readonly config: RawKubeconfig }[]): Kubeconfig {
  const clusters = new Map<string, ClusterConfig>()
  const users = new Map<string, { readonly user: UserConfig; readonly file: KubeconfigFile }>()
  const contexts = new Map<string, ContextConfig>()
  let currentContext: string | undefined
  for (const { file, config } of files) {
    const folder = dirname(file.path)
    for (const { name, cluster } of config.clusters) {
      if (!clusters.has(name)) clusters.set(name, withAbsolute(folder, cluster, ['certificate-authority']))
    }
    for (const { name, user: entry } of config.users) {
      if (users.has(name)) continue
      const found = withAbsolute(folder, entry, ['client-certificate', 'client-key', 'tokenFile'])
      const user = found.exec ? { ...found, exec: withAbsoluteCommand(folder, found.exec) } : found
      users.set(name, { user, file })
    }
    for (const { name, context } of config.contexts) {
      const { cluster, user } = context
      if (!contexts.has(name)) contexts.set(name, { file: file.path, name, cluster, user })
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
  readonly bytes: Buffer
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
      bytes,
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
