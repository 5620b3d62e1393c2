import { differences, removal, type Source } from './textEdits.ts'
import { type FieldPath, isList, isMap, sameJson, toJson, type Json, getIn, setIn, type Changed } from './json.ts'
import { readJson } from './jsonTree.ts'
import { isBroken } from './locate.ts'
import { jsonOf, positionsIn } from './tree.ts'
import { applySplices, lineBreakOf, syntaxOf } from './syntax.ts'
import { writeYaml } from './write.ts'
import { readYaml } from './yamlTree.ts'

/** The edited text, or one sentence on why it cannot be edited. */
export type Edited = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: string }

/**
 * Sets (or, with `undefined`, removes) one field of the object in a YAML or JSON text. Comments, order and style of
 * everything else stay. Missing parents are created; setting the index after the last appends an entry; removing an
 * entry of a list closes the gap. A map or list is compared with the existing one, and only the differences are
 * written, so a whole object may be given. The value is anything that JSON can express; members that are `undefined`
 * are absent.
 */
export function editManifest(text: string, path: FieldPath, value: unknown): Edited {
  const current = valueOf(text)
  if (!current.ok) return current
  const wanted = setIn(current.value, path, value === undefined ? undefined : toJson(value))
  if (!wanted.ok) return wanted
  return rewrite(value === undefined ? withoutEntry(text, path) : text, wanted.value)
}

/** Inserts an entry before `index` of the list at `path`, which is created if missing. */
export function insertEntry(text: string, path: FieldPath, index: number, value: unknown): Edited {
  const current = valueOf(text)
  if (!current.ok) return current
  const list = getIn(current.value, path) ?? []
  if (!isList(list)) return { ok: false, why: 'This field is not a list.' }
  return editManifest(text, path, list.toSpliced(index, 0, toJson(value)))
}

export const renameManifest = (text: string, name: string): Edited => editManifest(text, ['metadata', 'name'], name)

/** Splices that touch each other wait for the next pass. A few passes are enough for any manual edit. */
const MOST_PASSES = 1_000

function rewrite(original: string, wanted: Json): Edited {
  let text = original
  for (let pass = 0; pass < MOST_PASSES; pass += 1) {
    const current = valueOf(text)
    if (!current.ok) break
    if (sameJson(current.value, wanted)) return { ok: true, text }
    const edited = nearer(text, current.value, wanted)
    if (edited === text) break
    text = edited
  }
  return {
    ok: false,
    why: 'The text defines this with anchors or merge keys, which cannot be changed in one place. Edit the text itself.',
  }
}

/** Of two equal entries of a list, removes the one that the path addresses. */
function withoutEntry(text: string, path: FieldPath): string {
  const syntax = syntaxOf(text)
  const splice = typeof syntax === 'string' ? undefined : removal(sourceOf(text), syntax, path)
  return splice === undefined ? text : applySplices(text, [splice])
}

const sourceOf = (text: string): Source => ({ text, style: isJson(text) ? 'json' : 'yaml' })

function nearer(text: string, current: Json, wanted: Json): string {
  const syntax = syntaxOf(text)
  if (syntax === 'several') return text
  const source = sourceOf(text)
  const root = rootOf(wanted, source.style).replaceAll('\n', lineBreakOf(text))
  if (syntax === 'empty')
    return `${text}${text === '' || text.endsWith('\n') ? '' : lineBreakOf(text)}${root}${lineBreakOf(text)}`
  const kept = (isMap(wanted) && Object.keys(wanted).length > 0) || (isList(wanted) && wanted.length > 0)
  if (syntax.type === 'scalar' || syntax.entries.length === 0 || !kept) {
    return text.slice(0, syntax.from) + root + text.slice(syntax.to)
  }
  return applySplices(text, differences(source, syntax, current, wanted))
}

const rootOf = (value: Json, style: 'yaml' | 'json'): string =>
  style === 'json' ? JSON.stringify(value, undefined, 2) : writeYaml(value).trimEnd()

/** The value of the only document of a text; `null` when there is none. */
export function valueOf(text: string): Changed {
  const asJson = /^\uFEFF?\s*[[{]/.test(text) ? readJson(text) : []
  const documents = asJson.length > 0 && !isBroken(asJson) ? asJson : readYaml(text)
  const trees = documents.flatMap(({ tree }) => (tree === undefined ? [] : [tree]))
  const broken = documents.find(({ tree, problems }) => tree === undefined && problems.length > 0)?.problems[0]
  if (broken !== undefined) {
    const { line } = positionsIn(text)(broken.at.from)
    return { ok: false, why: `Cannot read the text (line ${line}); fix it first. ${broken.message}` }
  }
  if (trees.length > 1) return { ok: false, why: 'The text contains more than one object.' }
  const [tree] = trees
  return { ok: true, value: tree === undefined ? null : toJson(jsonOf(tree)) }
}

const isJson = (text: string): boolean => /^\uFEFF?\s*[[{]/.test(text) && !isBroken(readJson(text))
