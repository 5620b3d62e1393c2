import type { Kind, ObjectSet } from '../config/objects.ts'

/** One UID of a text and what it stands for. */
export interface ResolvedUid {
  /** As in the text; empty for a header without a value, which stands for a placeholder that the server creates. */
  readonly uid: string
  /** What the header's name says it is; absent for a bare UID. */
  readonly header?: Kind
  /** Objects with this UID, or, of a shortened one, all that begin with it. */
  readonly found: readonly { readonly kind: Kind; readonly name: string; readonly uid: string }[]
  /** One sentence. */
  readonly message: string
}

const HEADER = /x-kubernetes-pf-(flowschema|prioritylevel)-uid["']?\s*[:=][ \t]*["']?([^\s"',]*)/gi
/** Shorter ones would say little, and ordinary words could be taken for them. */
const BARE = /(?<![0-9a-z-])[0-9a-f]{8}(?:-[0-9a-f]{4}){0,3}(?:-[0-9a-f]{1,12})?(?![0-9a-z-])/gi

/** Resolves response headers X-Kubernetes-PF-FlowSchema-UID and …-PriorityLevel-UID, whole lines or bare UIDs. */
export function resolveUids(objects: ObjectSet, text: string): readonly ResolvedUid[] {
  const inHeaders = [...text.matchAll(HEADER)].map(([, kind = '', uid = '']) =>
    resolve(objects, uid, kind.toLowerCase() === 'flowschema' ? 'FlowSchema' : 'PriorityLevelConfiguration'),
  )
  const rest = text.replace(HEADER, ' ')
  const bare = inHeaders.length > 0 ? [] : [...rest.matchAll(BARE)].map(([uid]) => resolve(objects, uid, undefined))
  return [...inHeaders, ...bare]
}

function resolve({ levels, schemas }: ObjectSet, uid: string, header: Kind | undefined): ResolvedUid {
  const wanted = uid.toLowerCase()
  const of = (kind: Kind, all: ObjectSet['levels'] | ObjectSet['schemas']): ResolvedUid['found'] =>
    header !== undefined && header !== kind
      ? []
      : all.flatMap(({ metadata: { name, uid: own } }) =>
          own !== undefined && own !== '' && own.toLowerCase().startsWith(wanted) ? [{ kind, name, uid: own }] : [],
        )
  const found = wanted === '' ? [] : [...of('FlowSchema', schemas), ...of('PriorityLevelConfiguration', levels)]
  return { uid, ...(header !== undefined && { header }), found, message: messageOf(uid, header, found) }
}

const WORDS: Readonly<Record<Kind, string>> = {
  FlowSchema: 'flow schema',
  PriorityLevelConfiguration: 'priority level',
}

function messageOf(uid: string, header: Kind | undefined, found: ResolvedUid['found']): string {
  const what = header === undefined ? 'object' : WORDS[header]
  if (uid === '') return `The header is empty: the server imagines a built-in ${what} that is missing.`
  const [first] = found
  if (first === undefined) return `No ${what} has this UID now; it may have been deleted, or belong to another cluster.`
  const names = found.map(({ kind, name }) => `${WORDS[kind]} ${name}`)
  return found.length === 1 ? names.join('') : `Several begin like this: ${names.join(', ')}.`
}
