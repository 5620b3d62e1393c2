import { realpath } from 'node:fs/promises'
import { delimiter, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { homeFolder } from '../files/homeFolder.ts'

/** The default files when none is named: those of KUBECONFIG, or ~/.kube/config. */
export function defaultFiles(env: NodeJS.ProcessEnv, home = homeFolder()): string[] {
  const named = (env['KUBECONFIG'] ?? '').split(delimiter).filter((file) => file !== '')
  return named.length > 0 ? named : [join(home, '.kube', 'config')]
}

/** Options whose file may run a program, or may be sent to a server, without confirmation. */
const FILE_OPTIONS = ['kubeconfig', 'against-kubeconfig', 'token-file', 'password-file'] as const
const ADDRESS_OPTIONS = ['server'] as const

/**
 * A file under its authoritative name: the operator's own if it is the same file, because paths in it are relative to
 * that.
 */
export interface NamedFile {
  readonly path: string
  readonly by: 'command-line' | 'default' | 'page'
}

/**
 * What the operator named when this process was started: everything else comes from a page, which may be in anyone's
 * hands.
 */
export interface NamedByOperator {
  file(path: string): Promise<NamedFile>
  /** Whether the address was given as --server. */
  address(url: URL): boolean
}

/** `args` is the command line, `env` decides which kubeconfig is the default. */
export function namedByOperator(args: readonly string[], env: NodeJS.ProcessEnv, home = homeFolder()): NamedByOperator {
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(
      [...FILE_OPTIONS, ...ADDRESS_OPTIONS].map((name) => [name, { type: 'string' as const }]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const valuesOf = (options: readonly string[]): string[] =>
    tokens.flatMap((token) =>
      token.kind === 'option' && options.includes(token.name) && token.value !== undefined ? [token.value] : [],
    )
  const trusted: readonly NamedFile[] = [
    ...valuesOf(FILE_OPTIONS).map((path): NamedFile => ({ path: resolve(path), by: 'command-line' })),
    ...defaultFiles(env, home).map((path): NamedFile => ({ path: resolve(path), by: 'default' })),
  ]
  const addresses = new Set(valuesOf(ADDRESS_OPTIONS).map((address) => URL.parse(address)?.href))
  return {
    async file(path) {
      const wanted = resolve(path)
      const exact = trusted.find((known) => known.path === wanted)
      if (exact !== undefined) return exact
      const real = await realOf(wanted)
      for (const known of trusted) if ((await realOf(known.path)) === real) return known
      return { path: wanted, by: 'page' }
    },
    address: (url) => addresses.has(url.href),
  }
}

/** The path without links; unchanged if its target does not exist. */
const realOf = (path: string): Promise<string> => realpath(path).catch(() => path)
