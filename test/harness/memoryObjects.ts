import { builtInObjects } from '../../core/config/builtIn.ts'
import { checkObject } from '../../core/config/checkObject.ts'
import { manifestOf, sameContent, versionOf } from '../../core/config/content.ts'
import type { JsonObject } from '../../core/config/jsonValues.ts'
import { ObjectSetSchema } from '../../core/config/schema.ts'
import type { ProcedureHandlers, StreamHandlers } from '../../core/contract/contract.ts'
import { ProblemError } from '../../core/contract/errors.ts'
import {
  ObjectsStateSchema,
  type AppliedChange,
  type ChangeVerdict,
  type Draft,
  type JournalEntry,
  type ObjectChange,
  type ObjectsState,
  type RequestTest,
} from '../../core/contract/objects.ts'
import type { Kind } from '../../core/config/objects.ts'

type ObjectProcedures = Pick<
  ProcedureHandlers,
  Extract<keyof ProcedureHandlers, `${'editing' | 'objects' | 'journal' | 'drafts' | 'requests'}.${string}`>
>
type Facts = Partial<
  Pick<ObjectsState, 'origin' | 'target' | 'targetKey' | 'state' | 'problem' | 'editing' | 'version' | 'waiting'>
>

export interface MemoryObjects {
  readonly procedures: ObjectProcedures
  readonly stream: StreamHandlers['objects']
  /** Tells something else of the source: that it is stale, that it is of files, that editing is impossible. */
  tell(facts: Facts): void
  /** Another writer changes, makes or (`null`) deletes an object. */
  writeElsewhere(kind: Kind, name: string, object: JsonObject | null): void
  /** The server answers nothing any more, or again. */
  setBroken(broken: boolean): void
  /** The server says this of changes of an object from now on; `undefined`: what it thinks again. */
  answer(name: string, verdict: Partial<ChangeVerdict> | undefined): void
  /** Applications wait for this. */
  hold(until: Promise<void>): void
  /** What the console kept of the draft. */
  keptDraft(): Draft
}

const VERSION = 'v1.36.3'
const AT = '2026-01-01T00:00:00Z'
const keyOf = ({ kind, name }: Pick<ObjectChange, 'kind' | 'name'>): string => `${kind}/${name}`

/** A server of flow-control objects in memory: the built-in ones at first, which can be looked at, changed and restored. */
export function memoryObjects(): MemoryObjects {
  const listeners = new Set<(state: ObjectsState) => void>()
  const { levels, schemas } = builtInObjects(VERSION)
  const stored = new Map<string, JsonObject>()
  let version = 0
  const store = (kind: Kind, name: string, object: JsonObject): JsonObject => {
    version += 1
    const before = stored.get(`${kind}/${name}`)
    const uid = (before && versionOf(before)?.uid) ?? `uid-${version}`
    const { metadata, spec } = manifestOf(kind, object)
    const kept = { metadata: { ...(metadata as JsonObject), uid, resourceVersion: String(version) }, spec }
    stored.set(`${kind}/${name}`, kept)
    return kept
  }
  for (const level of levels) store('PriorityLevelConfiguration', level.metadata.name, { ...level })
  for (const schema of schemas) store('FlowSchema', schema.metadata.name, { ...schema })

  let facts: Facts = {}
  let broken = false
  let held = Promise.resolve()
  const answers = new Map<string, Partial<ChangeVerdict>>()
  let draft: Draft = { entries: [] }
  let tests: RequestTest[] = []
  let journal: JournalEntry[] = []
  const ofKind = (kind: Kind): JsonObject[] =>
    [...stored].filter(([key]) => key.startsWith(`${kind}/`)).map(([, object]) => object)
  const state = (): ObjectsState =>
    ObjectsStateSchema.parse({
      connection: 1,
      origin: 'cluster',
      target: 'prod-eu-1',
      targetKey: 'prod-eu-1',
      state: 'current',
      version: VERSION,
      asOf: AT,
      objects: ObjectSetSchema.parse({ levels: ofKind('PriorityLevelConfiguration'), schemas: ofKind('FlowSchema') }),
      editing: { state: 'off' },
      ...facts,
    })
  const publish = (): void => {
    for (const emit of listeners) emit(state())
  }
  const answered = (): void => {
    if (broken) throw new ProblemError('unreachable', 'prod-eu-1 does not answer.')
  }

  const judge = (change: ObjectChange): ChangeVerdict => {
    const { kind, name, object, base } = change
    const there = stored.get(keyOf(change))
    const verdict = { kind, name, causes: [], conflicts: [], warnings: [], differences: [] }
    const given = answers.get(name)
    if (given !== undefined) return { ...verdict, outcome: 'rejected', ...given }
    const now = there && versionOf(there)
    const moved =
      base === undefined ? there !== undefined && object !== null : now?.resourceVersion !== base.resourceVersion
    if (moved && !(there === undefined && object === null)) {
      return { ...verdict, outcome: 'conflict', ...(there !== undefined && { theirs: { ...there } }) }
    }
    if (object === null) return { ...verdict, outcome: 'accepted' }
    const { findings, defaulted } = checkObject(object, VERSION)
    const causes = findings.filter(({ severity }) => severity === 'error')
    if (causes.length > 0 || defaulted === undefined) return { ...verdict, outcome: 'rejected', causes }
    const same = there !== undefined && sameContent(there, { ...defaulted })
    return { ...verdict, outcome: same ? 'unchanged' : 'accepted', object: { ...manifestOf(kind, defaulted) } }
  }
  const write = ({ kind, name }: Pick<ObjectChange, 'kind' | 'name'>, to: JsonObject | null): AppliedChange => {
    const from = stored.get(`${kind}/${name}`)
    if (to === null) stored.delete(`${kind}/${name}`)
    const after = to === null ? undefined : store(kind, name, to)
    return {
      kind,
      name,
      from: from === undefined ? null : { ...manifestOf(kind, from) },
      to: after === undefined ? null : { ...manifestOf(kind, after) },
      ...(after !== undefined && { resourceVersion: String(version) }),
      state: 'applied',
    }
  }
  const applyAll = (changes: readonly ObjectChange[]) => {
    const done: AppliedChange[] = []
    let stopped = false
    const verdicts = changes.map((change): ChangeVerdict => {
      const verdict = judge(change)
      if (stopped) return { ...verdict, outcome: 'skipped', causes: [] }
      stopped = verdict.outcome !== 'accepted' && verdict.outcome !== 'unchanged'
      if (verdict.outcome === 'accepted') done.push(write(change, verdict.object ?? null))
      return verdict
    })
    publish()
    return { verdicts, done }
  }
  const turn = (id: string, to: 'applied' | 'undone') => {
    answered()
    const entry = journal.find((one) => one.id === id)
    if (entry === undefined) throw new ProblemError('not-found', 'The journal has no such entry.')
    const changes = entry.changes.map(({ kind, name, from, to: after }): ObjectChange => {
      const there = stored.get(`${kind}/${name}`)
      const base = there && versionOf(there)
      return { kind, name, object: to === 'undone' ? from : after, ...(base !== undefined && { base }) }
    })
    const { verdicts } = applyAll(changes)
    const turned = { ...entry, changes: entry.changes.map((change) => ({ ...change, state: to })) }
    journal = journal.map((one) => (one.id === id ? turned : one))
    return { at: AT, verdicts, entry: turned }
  }

  return {
    tell(next) {
      facts = { ...facts, ...next }
      publish()
    },
    writeElsewhere(kind, name, object) {
      write({ kind, name }, object)
      publish()
    },
    setBroken: (next) => {
      broken = next
    },
    answer(name, verdict) {
      if (verdict === undefined) answers.delete(name)
      else answers.set(name, verdict)
    },
    hold: (until) => {
      held = until
    },
    keptDraft: () => draft,
    stream(_params, emit, signal) {
      listeners.add(emit)
      signal.addEventListener('abort', () => void listeners.delete(emit))
      emit(state())
    },
    procedures: {
      'editing.switch': async ({ on }) => {
        const editing = on ? ({ state: 'on', since: AT } as const) : ({ state: 'off' } as const)
        facts = { ...facts, editing }
        publish()
        return editing
      },
      'objects.check': async ({ changes }) => {
        answered()
        return { at: AT, verdicts: changes.map(judge) }
      },
      'objects.apply': async ({ changes, label = '' }) => {
        answered()
        await held
        if (state().editing.state !== 'on') throw new ProblemError('forbidden', 'Editing is off.')
        const { verdicts, done } = applyAll(changes)
        if (done.length === 0) return { at: AT, verdicts }
        const { target, targetKey } = state()
        const entry: JournalEntry = {
          id: String(journal.length + 1),
          at: AT,
          target,
          targetKey,
          user: 'jane',
          label,
          changes: done,
        }
        journal = [entry, ...journal]
        return { at: AT, verdicts, entry }
      },
      'objects.giveUp': async () => {
        delete facts.waiting
        publish()
        return null
      },
      'objects.elsewhere': async () => {
        throw new ProblemError('unsupported', 'The story knows no other cluster.')
      },
      'journal.read': async () => journal,
      'journal.undo': async ({ id }) => turn(id, 'undone'),
      'journal.redo': async ({ id }) => turn(id, 'applied'),
      'drafts.read': async () => draft,
      'drafts.write': async (given) => {
        draft = given.draft
        return null
      },
      'requests.read': async () => tests,
      'requests.change': async ({ put, remove }) => {
        const replaced = new Set([...remove, ...put.map(({ id }) => id)])
        tests = [...tests.filter(({ id }) => !replaced.has(id)), ...put]
        return tests
      },
    },
  }
}
