import { type Unreadable, type QueryOption, type RequestAddress, addressOf } from './requestFields.ts'
import { knownResource } from './builtInResources.ts'

/** A resource as it is written in a command. */
interface NamedResource {
  readonly apiGroup: string
  readonly version: string
  readonly resource: string
  /** `undefined` for a resource that is not built in. */
  readonly namespaced: boolean | undefined
  readonly notes: readonly string[]
  /** The version is neither written nor known. */
  readonly guessed: boolean
}

const VERSION = /^v\d+(?:(?:alpha|beta)\d+)?$/

/** Parses `deploy`, `deploy.apps`, `deployments.v1.apps`, `widgets.v1alpha1.example.com`. */
function resourceNamed(text: string): NamedResource | Unreadable {
  const [name = '', ...rest] = text.toLowerCase().split('.')
  if (rest.length === 0) {
    const known = knownResource(name)
    if (known !== undefined) return { ...known, notes: [], guessed: false }
    if (name === 'all') return { problem: 'all covers several resources with a request each; name one of them.' }
    return {
      problem: `${JSON.stringify(text)} is not a built-in resource; write another one with its group: ${name === '' ? 'widgets' : name}.example.com.`,
    }
  }
  const [first = ''] = rest
  const version = VERSION.test(first) ? first : undefined
  const apiGroup = (version === undefined ? rest : rest.slice(1)).join('.')
  const known = knownResource(name, apiGroup)
  if (known !== undefined) return { ...known, version: version ?? known.version, notes: [], guessed: false }
  const note = `${text} is not a built-in resource; its version is unknown and v1 is assumed.`
  return {
    apiGroup,
    version: version ?? 'v1',
    resource: name,
    namespaced: undefined,
    notes: version === undefined ? [note] : [],
    guessed: version === undefined,
  }
}

/** The objects that a command applies to. */
export interface Target {
  readonly named: NamedResource
  readonly names: readonly string[]
  readonly notes: readonly string[]
}

/** Parses `TYPE`, `TYPE NAME …`, `TYPE/NAME …` and, for `TYPE,TYPE`, the first. */
export function targetOf(args: readonly string[]): Target | Unreadable {
  const [first = '', ...others] = args
  if (first === '') return { problem: 'The command names no resource.' }
  const [type = '', name] = first.split('/', 2)
  const types = type.split(',')
  const named = resourceNamed(types[0] ?? '')
  if ('problem' in named) return named
  const names = [...(name === undefined ? [] : [name]), ...others.map((other) => other.split('/').at(-1) ?? '')].filter(
    isName,
  )
  const notes = [
    ...(types.length > 1 ? [`kubectl sends a request for each resource; this is the one for ${types[0] ?? ''}.`] : []),
    ...(names.length > 1 ? [`kubectl sends a request for each object; this is the one for ${names[0] ?? ''}.`] : []),
  ]
  return { named, names, notes }
}

/** Not `key=value`, and not `key-`, which removes a label. */
const isName = (word: string): boolean => word !== '' && !word.includes('=') && !word.endsWith('-')

/** Where the objects are. */
export interface Place {
  readonly namespace: string
  readonly notes: readonly string[]
  readonly guessed: boolean
}

const nowhere: Place = { namespace: '', notes: [], guessed: false }

/** The namespace that kubectl puts into the path; none for `--all-namespaces`. */
function placeOf({ namespaced }: Pick<NamedResource, 'namespaced'>, words: KubectlWords): Place {
  if (namespaced === false || words.given('all-namespaces')) return nowhere
  const namespace = words.value('namespace')
  if (namespace !== undefined && namespace !== '') return { ...nowhere, namespace }
  const whose = namespaced === undefined ? ' Whether the resource is namespaced is unknown.' : ''
  return {
    namespace: 'default',
    notes: [`kubectl takes the namespace of the context; default is assumed.${whose}`],
    guessed: true,
  }
}

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
/** Meaning of short options under `kubectl logs`. */
const SHORT_OF_LOGS: Readonly<Record<string, string>> = { ...SHORT, f: 'follow', p: 'previous' }

/** A kubectl command split into its parts, before its effect is determined. */
export interface KubectlWords {
  /** `get`, `delete`; empty if there is none. */
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

/** Short options may be combined, and the last one may have its value attached: `-it`, `-nkube-system`. */
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

/** A request of a command, before its sender is determined. */
export interface Sent extends RequestAddress {
  /** Something in the address is not in the text. */
  readonly guessed: boolean
  readonly notes: readonly string[]
}

/** What a command does with a resource. */
interface Wish {
  readonly verb: string
  readonly named: NamedResource
  readonly name?: string
  readonly subresource?: string
  readonly options?: readonly QueryOption[]
  readonly notes?: readonly string[]
  readonly guessed?: boolean
}

/** The request for such an operation, in the namespace of the command. */
export function send(words: KubectlWords, wish: Wish): Sent | Unreadable {
  const { named, verb, name = '', subresource = '', options = [], notes = [] } = wish
  const place = placeOf(named, words)
  if (name !== '' && named.namespaced !== false && words.given('all-namespaces')) {
    return { problem: 'A single object cannot be requested in all namespaces: leave out the name or -A.' }
  }
  const { apiGroup, version, resource } = named
  const { namespace } = place
  const address = addressOf({
    kind: 'resource',
    verb,
    apiGroup,
    version,
    resource,
    subresource,
    namespace,
    name,
    options,
  })
  if ('problem' in address) return address
  return {
    ...address,
    guessed: named.guessed || place.guessed || wish.guessed === true,
    notes: [...named.notes, ...place.notes, ...notes],
  }
}

/** `--selector` and `--field-selector`. */
export function selectors({ value }: KubectlWords): QueryOption[] {
  const [labels, fields] = [value('selector'), value('field-selector')]
  return [
    ...(labels === undefined ? [] : [['labelSelector', labels] as const]),
    ...(fields === undefined ? [] : [['fieldSelector', fields] as const]),
  ]
}

/** Throws for a name that is not in the table. */
export function builtIn(name: string): NamedResource {
  const known = knownResource(name)
  if (known === undefined) throw new Error(`${name} is not a built-in resource`)
  return { ...known, notes: [], guessed: false }
}
