import { describe, expect, it } from 'vitest'
import { builtInObjects } from '../../core/config/builtIn.ts'
import { ProblemError } from '../../core/errors.ts'
import type { CandidateWish } from '../../core/contract/live.ts'
import type { ManifestDocument } from '../../core/manifest/manifest.ts'
import { readManifests } from '../../core/manifest/read.ts'
import type { ObjectsReading } from '../../core/source/sourceEvent.ts'
import { runDraftBeside } from './liveObjects.ts'

const VERSION = 'v1.36.3'
const level = (name: string, nominalConcurrencyShares: number) => ({
  metadata: { name },
  spec: { type: 'Limited', limited: { nominalConcurrencyShares, limitResponse: { type: 'Reject' } } },
})
const schema = (name: string, to: string) => ({
  metadata: { name },
  spec: { priorityLevelConfiguration: { name: to }, matchingPrecedence: 10 },
})
/** Manifests with these objects. */
const manifests = (...objects: readonly object[]): readonly ManifestDocument[] => {
  const text = objects
    .map((object) => JSON.stringify({ apiVersion: 'flowcontrol.apiserver.k8s.io/v1', ...object }))
    .join('\n---\n')
  return readManifests(text, { file: 'new.yaml', version: VERSION }).documents
}
const levelManifest = (name: string, shares: number) => ({ kind: 'PriorityLevelConfiguration', ...level(name, shares) })
const DRAFT = manifests(levelManifest('batch', 7))

type ProposedLevel = Extract<CandidateWish, { readonly on: true }>['objects']['levels'][number]

/** A running draft, with the candidates it sends and the sentences it prints. */
function running(first: ObjectsReading, refuses = (_wish: CandidateWish): boolean => false, draft = DRAFT) {
  const wishes: (readonly (readonly [string, number | undefined])[])[] = []
  const proposed: ProposedLevel[] = []
  const told: string[] = []
  let read = (_reading: ObjectsReading): void => undefined
  const live = {
    version: VERSION,
    candidate(wish: CandidateWish): void {
      if (refuses(wish)) throw new ProblemError('invalid-input', 'No server would accept it.')
      const levels = wish.on ? wish.objects.levels : []
      proposed.push(...levels)
      wishes.push(levels.map(({ metadata, spec }) => [metadata.name, spec.limited?.nominalConcurrencyShares]))
    },
  }
  const start = (_signal: AbortSignal, onReading: typeof read): void => {
    read = onReading
    onReading(first)
  }
  const { signal } = new AbortController()
  runDraftBeside(
    draft,
    { live, objects: { start } },
    { before: 'live', signal, tell: (sentence) => void told.push(sentence) },
  )
  return { wishes, proposed, told, read: (reading: ObjectsReading) => read(reading) }
}
const current = (...levels: readonly ReturnType<typeof level>[]): ObjectsReading => ({
  state: 'current',
  objects: { levels: [...levels], schemas: [] },
})

describe('a draft from files', () => {
  it('is laid over what the engine has, and over what it gets later', () => {
    const { wishes, read } = running(current(level('batch', 1), level('other', 2)))
    read(current(level('other', 3)))
    expect(wishes).toEqual([
      [
        ['batch', 7],
        ['other', 2],
      ],
      [
        ['other', 3],
        ['batch', 7],
      ],
    ])
  })

  it('is merged as kubectl apply does: what a manifest leaves out stays', () => {
    const own = level('batch', 1)
    const lending = { ...own, spec: { ...own.spec, limited: { ...own.spec.limited, lendablePercent: 40 } } }
    const { proposed } = running(current(lending))
    expect(proposed.map(({ spec }) => spec.limited)).toMatchObject([
      { nominalConcurrencyShares: 7, lendablePercent: 40, limitResponse: { type: 'Reject' } },
    ])
  })

  it('needs no more than what it changes where the object has the rest', () => {
    const whole = levelManifest('batch', 7)
    const { type: _left, ...spec } = whole.spec
    const draft = manifests({ ...whole, spec })
    const { wishes } = running(current(level('batch', 1)), undefined, draft)
    expect(wishes).toEqual([[['batch', 7]]])
    expect(() => running(current(level('other', 2)), undefined, draft)).toThrow(/^new\.yaml:1: spec\.type is missing/)
  })

  it('is refused where the merge is what no server would take, with its place', () => {
    const own = level('batch', 1)
    const limitResponse = { type: 'Queue', queuing: { queues: 8, handSize: 2, queueLengthLimit: 5 } }
    const queueing = { ...own, spec: { ...own.spec, limited: { ...own.spec.limited, limitResponse } } }
    expect(() => running(current(queueing))).toThrow(
      /^new\.yaml:1: .*queuing.*kubectl apply keeps what a manifest leaves out/,
    )
  })

  it('is laid over the built-in objects as long as those of the server cannot be read', () => {
    const nothing: ObjectsReading['objects'] = { levels: [], schemas: [] }
    const { wishes, read } = running({ state: 'unavailable', objects: nothing })
    read(current(level('other', 3)))
    read({ state: 'unavailable', objects: nothing })
    const names = wishes.map((levels) => levels.map(([name]) => name))
    const builtIn = builtInObjects(VERSION).levels.map(({ metadata }) => metadata.name)
    expect(names).toEqual([
      [...builtIn, 'batch'],
      ['other', 'batch'],
      ['other', 'batch'],
    ])
  })

  it('is refused at the beginning, and goes on over the objects before when newer ones do not go with it', () => {
    expect(() => running(current(), () => true)).toThrow('No server would accept it.')
    const { wishes, told, read } = running(current(), (wish) => wish.on && wish.objects.levels.length > 1)
    read(current(level('other', 3)))
    expect(wishes).toHaveLength(1)
    expect(told).toEqual(['The draft still runs on the previous objects: No server would accept it.'])
  })

  it('says once which of its schemas lead nowhere', () => {
    const drafted = [schema('early', 'later'), schema('last', 'batch')].map((one) => ({ kind: 'FlowSchema', ...one }))
    const draft = manifests(levelManifest('batch', 7), ...drafted)
    const none = (): boolean => false
    const { told, read } = running(
      { state: 'current', objects: { levels: [], schemas: [schema('theirs', 'gone')] } },
      none,
      draft,
    )
    read(current())
    read(current(level('later', 1)))
    expect(told).toEqual([
      'FlowSchema early of the draft references later, which does not exist; its requests go to the next schema that matches.',
    ])
  })
})
