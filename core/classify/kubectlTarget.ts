import { knownResource } from './builtInResources.ts'
import type { KubectlWords } from './kubectlWords.ts'
import type { Unreadable } from './partialRequest.ts'

/** A resource as a command names it. */
export interface NamedResource {
  readonly apiGroup: string
  readonly version: string
  readonly resource: string
  /** `undefined` for a resource that is not built in. */
  readonly namespaced: boolean | undefined
  readonly notes: readonly string[]
  /** The version is not written and not known. */
  readonly guessed: boolean
}

const VERSION = /^v\d+(?:(?:alpha|beta)\d+)?$/

/** Reads `deploy`, `deploy.apps`, `deployments.v1.apps`, `widgets.v1alpha1.example.com`. */
export function resourceNamed(text: string): NamedResource | Unreadable {
  const [name = '', ...rest] = text.toLowerCase().split('.')
  if (rest.length === 0) {
    const known = knownResource(name)
    if (known !== undefined) return { ...known, notes: [], guessed: false }
    if (name === 'all')
      return { problem: 'all stands for several resources, which are requests of their own; name one of them.' }
    return {
      problem: `${JSON.stringify(text)} is no built-in resource; write another one with its group: ${name === '' ? 'widgets' : name}.example.com.`,
    }
  }
  const [first = ''] = rest
  const version = VERSION.test(first) ? first : undefined
  const apiGroup = (version === undefined ? rest : rest.slice(1)).join('.')
  const known = knownResource(name, apiGroup)
  if (known !== undefined) return { ...known, version: version ?? known.version, notes: [], guessed: false }
  const note = `${text} is no built-in resource; its version is not known and v1 is assumed.`
  return {
    apiGroup,
    version: version ?? 'v1',
    resource: name,
    namespaced: undefined,
    notes: version === undefined ? [note] : [],
    guessed: version === undefined,
  }
}

/** What a command is about. */
export interface Target {
  readonly named: NamedResource
  readonly names: readonly string[]
  readonly notes: readonly string[]
}

/** Reads `TYPE`, `TYPE NAME …`, `TYPE/NAME …` and, of `TYPE,TYPE`, the first. */
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

/** Not `key=value`, and not `key-`, which takes a label away. */
const isName = (word: string): boolean => word !== '' && !word.includes('=') && !word.endsWith('-')

/** Where the objects are. */
export interface Place {
  readonly namespace: string
  readonly notes: readonly string[]
  readonly guessed: boolean
}

const nowhere: Place = { namespace: '', notes: [], guessed: false }

/** The namespace that kubectl puts into the path; of `--all-namespaces` none. */
export function placeOf({ namespaced }: Pick<NamedResource, 'namespaced'>, words: KubectlWords): Place {
  if (namespaced === false || words.given('all-namespaces')) return nowhere
  const namespace = words.value('namespace')
  if (namespace !== undefined && namespace !== '') return { ...nowhere, namespace }
  const whose = namespaced === undefined ? ' It is not known whether the resource has namespaces.' : ''
  return {
    namespace: 'default',
    notes: [`kubectl takes the namespace of the context; default is assumed.${whose}`],
    guessed: true,
  }
}
