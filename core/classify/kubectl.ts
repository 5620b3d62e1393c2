import { COMMANDS } from './kubectlCommands.ts'
import type { Sent } from './kubectlSend.ts'
import type { Unreadable } from './partialRequest.ts'
import { type KubectlWords, kubectlWords } from './kubectlWords.ts'

/** The main request of a kubectl command. */
export interface KubectlRequest extends Sent {
  /** Of `--as` and `--as-group`. */
  readonly impersonate: { readonly user: string; readonly groups: readonly string[] } | undefined
}

/** Reads a kubectl command, given as words without the program's name. */
export function readKubectl(given: readonly string[]): KubectlRequest | Unreadable {
  const words = kubectlWords(given)
  const user = words.value('as')
  const groups = words.values('as-group')
  if (user === undefined && groups.length > 0)
    return { problem: '--as-group needs --as: groups alone cannot be impersonated.' }
  const command = COMMANDS.get(words.command)
  if (command === undefined) {
    return {
      problem:
        words.command === ''
          ? 'The kubectl command is missing: get, list, delete, …'
          : `kubectl ${words.command} is not known here; try get, describe, create, delete, patch, logs, exec or --raw.`,
    }
  }
  const sent = raw(words) ?? command(words)
  return 'problem' in sent ? sent : { ...sent, impersonate: user === undefined ? undefined : { user, groups } }
}

const RAW_METHODS: Readonly<Record<string, string>> = { get: 'GET', create: 'POST', replace: 'PUT', delete: 'DELETE' }

function raw({ command, value }: KubectlWords): Sent | Unreadable | undefined {
  const url = value('raw')
  const method = RAW_METHODS[command]
  if (url === undefined || method === undefined) return undefined
  if (!url.startsWith('/'))
    return { problem: `--raw takes a path that begins with a slash, not ${JSON.stringify(url)}.` }
  return { method, url, guessed: false, notes: [] }
}

/** Whether a word begins a kubectl command that can be read. */
export const isKubectlCommand = (word: string): boolean => COMMANDS.has(word)
