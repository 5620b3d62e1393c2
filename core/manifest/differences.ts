import { insertInBlock, removeFromBlock, replaceInBlock } from './blockEdits.ts'
import type { FieldPath } from './fieldPath.ts'
import { insertInFlow, removeFromFlow, replaceInFlow, type FlowStyle } from './flowEdits.ts'
import { isList, isMap, sameJson, type Json, type JsonList, type JsonMap } from './json.ts'
import { gapsBetween } from './listGaps.ts'
import { byApiOrder } from './order.ts'
import type { Splice } from './splice.ts'
import type { Container, Syntax, SyntaxEntry } from './syntax.ts'

/** The text that is edited. */
export interface Source {
  readonly text: string
  readonly style: FlowStyle
}

/** Splices that bring the value of a container nearer to the wanted one. Values are those that its text means. */
export function differences(source: Source, container: Container, current: Json, wanted: Json): readonly Splice[] {
  if (container.type === 'map' && isMap(current) && isMap(wanted)) return inMap(source, container, current, wanted)
  if (container.type === 'list' && isList(current) && isList(wanted)) return inList(source, container, current, wanted)
  return []
}

function inMap(source: Source, container: Container, current: JsonMap, wanted: JsonMap): readonly Splice[] {
  const changed = Object.entries(wanted).flatMap(([key, value]) => {
    const entry = container.entries.findLast((candidate) => candidate.key === key)
    if (entry !== undefined) return change(source, container, entry, current[key], value)
    // What a merge key brings along is there without an entry of its own.
    if (Object.hasOwn(current, key) && sameJson(current[key] ?? null, value)) return []
    const place = container.entries.findLast((candidate) => byApiOrder(candidate.key ?? '', key) <= 0)
    return [insert(source, container, place ?? container.entries[0], [{ key, value }])]
  })
  const gone = container.entries.filter(({ key = '' }) => Object.hasOwn(current, key) && !Object.hasOwn(wanted, key))
  return [...changed, ...gone.map((entry) => remove(source, container, entry))]
}

function inList(source: Source, container: Container, current: JsonList, wanted: JsonList): readonly Splice[] {
  const { entries } = container
  return gapsBetween(current, wanted).flatMap(({ from, to, wantedFrom, wantedTo }) => {
    const paired = Math.min(to - from, wantedTo - wantedFrom)
    const changed = entries
      .slice(from, from + paired)
      .flatMap((entry, index) =>
        change(source, container, entry, current[from + index], wanted[wantedFrom + index] ?? null),
      )
    const gone = entries.slice(from + paired, to).map((entry) => remove(source, container, entry))
    const added = wanted.slice(wantedFrom + paired, wantedTo).map((value) => ({ value }))
    return added.length === 0
      ? [...changed, ...gone]
      : [...changed, insert(source, container, entries[from + paired - 1], added)]
  })
}

function change(
  source: Source,
  container: Container,
  entry: SyntaxEntry,
  current: Json | undefined,
  wanted: Json,
): readonly Splice[] {
  if (current !== undefined && sameJson(current, wanted)) return []
  const inner = entry.value
  if (inner !== undefined && current !== undefined && canDescend(inner, current, wanted)) {
    return differences(source, inner, current, wanted)
  }
  return [
    container.flow
      ? replaceInFlow(source.text, container, entry, wanted, source.style)
      : replaceInBlock(source.text, entry, wanted),
  ]
}

/** What is empty before or afterwards is written anew. An alias has no entries to descend to. */
function canDescend(inner: Syntax, current: Json, wanted: Json): inner is Container {
  if (inner.type === 'scalar' || inner.entries.length === 0) return false
  if (isMap(current) && isMap(wanted)) return Object.keys(wanted).length > 0
  return isList(current) && isList(wanted) && wanted.length > 0
}

const insert = (
  { text, style }: Source,
  container: Container,
  after: SyntaxEntry | undefined,
  added: readonly { readonly key?: string; readonly value: Json }[],
): Splice =>
  container.flow ? insertInFlow(text, container, after, added, style) : insertInBlock(text, container, after, added)

/** Removes what a path leads to, where that is an entry of its own beside others. */
export function removal(source: Source, root: Syntax, path: FieldPath): Splice | undefined {
  let found: { readonly container: Container; readonly entry: SyntaxEntry } | undefined
  let syntax: Syntax | undefined = root
  for (const step of path) {
    if (syntax === undefined || syntax.type === 'scalar') return undefined
    const container: Container = syntax
    const entry: SyntaxEntry | undefined =
      typeof step === 'number' ? container.entries[step] : container.entries.findLast(({ key }) => key === step)
    if (entry === undefined) return undefined
    found = { container, entry }
    syntax = entry.value
  }
  return found === undefined || found.container.entries.length < 2
    ? undefined
    : remove(source, found.container, found.entry)
}

const remove = ({ text }: Source, container: Container, entry: SyntaxEntry): Splice =>
  container.flow ? removeFromFlow(text, container, entry) : removeFromBlock(text, container, entry)
