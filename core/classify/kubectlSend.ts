import { knownResource } from './builtInResources.ts'
import { type NamedResource, placeOf } from './kubectlTarget.ts'
import type { Unreadable } from './partialRequest.ts'
import type { KubectlWords } from './kubectlWords.ts'
import { type QueryOption, type RequestAddress, addressOf } from './requestFields.ts'

/** A request of a command, before its sender is looked at. */
export interface Sent extends RequestAddress {
  /** Something in the address is not in the text. */
  readonly guessed: boolean
  readonly notes: readonly string[]
}

/** What a command wants of a resource. */
export interface Wish {
  readonly verb: string
  readonly named: NamedResource
  readonly name?: string
  readonly subresource?: string
  readonly options?: readonly QueryOption[]
  readonly notes?: readonly string[]
  readonly guessed?: boolean
}

/** The request for a wish, in the namespace of the command. */
export function send(words: KubectlWords, wish: Wish): Sent | Unreadable {
  const { named, verb, name = '', subresource = '', options = [], notes = [] } = wish
  const place = placeOf(named, words)
  if (name !== '' && named.namespaced !== false && words.given('all-namespaces')) {
    return { problem: 'One object cannot be asked for in all namespaces: leave out the name or -A.' }
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
  if (known === undefined) throw new Error(`${name} is no built-in resource`)
  return { ...known, notes: [], guessed: false }
}
