/** Options with a value; every other one is a switch, unless it is written with an equals sign. */
const WITH_VALUE = new Set(
  (
    'namespace as as-group as-uid as-user-extra selector field-selector chunk-size output raw subresource filename ' +
    'kustomize context cluster user server kubeconfig token request-timeout container tail since since-time limit-bytes ' +
    'patch patch-file type replicas image port grace-period timeout for field-manager sort-by label-columns template ' +
    'cache-dir certificate-authority client-certificate client-key tls-server-name username password profile v ' +
    'resource-version current-replicas max min cpu from-literal from-file serviceaccount clusterrole role verb resource ' +
    'group duration audience env limits requests name target-port revision schedule from'
  ).split(' '),
)

/** Long names of the short options. */
const SHORT: Readonly<Record<string, string>> = {
  n: 'namespace',
  A: 'all-namespaces',
  l: 'selector',
  o: 'output',
  w: 'watch',
  f: 'filename',
  k: 'kustomize',
  c: 'container',
  p: 'patch',
  s: 'server',
  L: 'label-columns',
  v: 'v',
}
/** What short options mean under `kubectl logs`. */
const SHORT_OF_LOGS: Readonly<Record<string, string>> = { ...SHORT, f: 'follow', p: 'previous' }

/** A kubectl command taken apart; nothing is known yet of what it does. */
export interface KubectlWords {
  /** `get`, `delete`; empty without one. */
  readonly command: string
  /** What follows the command, up to `--`. */
  readonly args: readonly string[]
  readonly given: (option: string) => boolean
  /** The last value of an option. */
  readonly value: (option: string) => string | undefined
  readonly values: (option: string) => readonly string[]
}

/** `words` without the name of the program. */
export function kubectlWords(words: readonly string[]): KubectlWords {
  const positional: string[] = []
  const options = new Map<string, string[]>()
  const add = (name: string, value: string): void => void options.set(name, [...(options.get(name) ?? []), value])
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? ''
    if (word === '--') break
    const next = (): string => words[++i] ?? ''
    if (word.startsWith('--')) {
      const equals = word.indexOf('=')
      const name = word.slice(2, equals === -1 ? undefined : equals)
      if (equals !== -1) add(name, word.slice(equals + 1))
      else add(name, WITH_VALUE.has(name) ? next() : 'true')
    } else if (word.startsWith('-') && word.length > 1) {
      readShort(word.slice(1), positional[0] === 'logs' ? SHORT_OF_LOGS : SHORT, add, next)
    } else {
      positional.push(word)
    }
  }
  const [command = '', ...args] = positional
  return {
    command,
    args,
    given: (option) => (options.get(option)?.at(-1) ?? 'false') !== 'false',
    value: (option) => options.get(option)?.at(-1),
    values: (option) => options.get(option) ?? [],
  }
}

/** Short options may stand together, and the last one may have its value attached: `-it`, `-nkube-system`. */
function readShort(
  letters: string,
  names: Readonly<Record<string, string>>,
  add: (name: string, value: string) => void,
  next: () => string,
): void {
  for (let i = 0; i < letters.length; i++) {
    const letter = letters.charAt(i)
    const name = Object.hasOwn(names, letter) ? (names[letter] ?? letter) : letter
    if (!WITH_VALUE.has(name)) {
      add(name, 'true')
      continue
    }
    const attached = letters.slice(i + 1).replace(/^=/, '')
    add(name, attached === '' ? next() : attached)
    return
  }
}
