import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { expect, test } from 'vitest'
import { builtInObjects } from '../config/builtIn.ts'
import { ObjectSetSchema } from '../config/schema.ts'
import { Dealer } from '../engine/dealer.ts'
import type { DumpFrame } from '../frame/dump.ts'
import type { LiveRequest } from '../contract/live.ts'
import { flowHash } from '../request/match.ts'
import { type Anonymiser, createAnonymiser } from './anonymise.ts'
import type { SourceEvent } from './sourceEvent.ts'

const hashOf = (text: string): string => bytesToHex(sha256(utf8ToBytes(text))).slice(0, 12)
const anonymiserWith = (key: string): Anonymiser => createAnonymiser((word) => `name-${hashOf(`${key} ${word}`)}`)

const QUEUES = 128
const HAND = 6
const SCHEMA = 'service-accounts'
const LEVEL = 'workload-low'
/** What an attacker tries: common names in common namespaces. */
const DICTIONARY = Array.from({ length: 5_400 }, (_, i) => `system:serviceaccount:team-${i % 90}:app-${i}`)
const dealer = new Dealer()
dealer.configure(QUEUES, HAND)
/** The queues that a candidate's requests may be in, in the numbers of the server. */
const HANDS = new Map(DICTIONARY.map((user) => [user, new Set(dealer.handOf(flowHash(SCHEMA, user)))]))
const FLOWS = DICTIONARY.filter((_, i) => i % 90 === 17)

/** A server on which each flow waits in every queue that it may use: nothing tells more. */
function dumpOf(flows: readonly string[]): DumpFrame {
  const seen = flows.flatMap((flow) => [...(HANDS.get(flow) ?? [])].map((queue) => ({ flow, queue })))
  return {
    server: '10.20.30.40:6443',
    at: '2026-11-21T03:00:00Z',
    costMs: 1,
    bytes: 1,
    errors: [],
    queues: Array.from({ length: QUEUES }, (_, index) => ({
      level: LEVEL,
      index,
      pending: seen.filter(({ queue }) => queue === index).length,
      executing: 0,
      seatsInUse: 0,
      nextDispatchR: 0,
      initialSeats: 0,
      maxSeats: 0,
      totalWork: 0,
    })),
    requests: seen
      .toSorted((a, b) => a.queue - b.queue)
      .map(({ flow, queue }, position) => ({
        level: LEVEL,
        schema: SCHEMA,
        queue,
        position,
        flow,
        arrivedAt: 1,
        initialSeats: 1,
        finalSeats: 0,
        additionalLatencyMs: 0,
      })),
  }
}

/** The queues of each flow. */
function queuesOf({ requests = [] }: DumpFrame): ReadonlyMap<string, ReadonlySet<number>> {
  const found = new Map<string, Set<number>>()
  for (const { flow, queue } of requests) found.set(flow, (found.get(flow) ?? new Set()).add(queue))
  return found
}

const dumped = (anonymiser: Anonymiser, dump: DumpFrame): DumpFrame => {
  const event = anonymiser.event({ kind: 'dump', dump })
  if (event.kind !== 'dump') throw new Error('it became another event')
  return event.dump
}

/** Candidates whose hand holds every queue of a flow. */
const namesFor = (queues: ReadonlySet<number>): readonly string[] =>
  DICTIONARY.filter((user) => [...queues].every((queue) => HANDS.get(user)?.has(queue)))

test('queues tell an attacker with a dictionary who somebody is, and no longer do once they are renumbered', () => {
  const original = dumpOf(FLOWS)
  const named = [...queuesOf(original)].filter(([flow, queues]) => String(namesFor(queues)) === flow)
  expect(named).toHaveLength(FLOWS.length)
  const { queues = [], requests = [] } = dumped(anonymiserWith('key'), original)
  expect(new Set(requests.map(({ queue, position }) => `${queue} ${position}`))).toEqual(new Set(['-1 -1']))
  // Those in which somebody waits are in other places, and all are there.
  expect(queues.map(({ index }) => index)).toEqual(original.queues?.map(({ index }) => index))
  expect(countsOf(queues)).toEqual(countsOf(original.queues))
  expect(numbersOf(queues)).not.toEqual(numbersOf(original.queues))
  expect(numbersOf(queues)).not.toEqual(numbersOf(dumped(anonymiserWith('another file'), original).queues))
})

/** Requests that wait in each queue. */
const numbersOf = (queues: DumpFrame['queues'] = []): readonly number[] => queues.map(({ pending }) => pending)

const countsOf = (queues: DumpFrame['queues']): readonly number[] => numbersOf(queues).toSorted((a, b) => a - b)

test('the order of a dump says nothing about queues or names', () => {
  const key = 'key'
  const orders = [FLOWS, FLOWS.toReversed()].map((flows) => dumped(anonymiserWith(key), dumpOf(flows)).requests)
  expect(orders[0]).toEqual(orders[1])
  const flows = [...new Set(orders[0]?.map(({ flow }) => flow))]
  expect(flows).toEqual(flows.toSorted())
})

/** The same cluster, once with the names of one organisation and once with those of another. */
function clusterOf(name: (word: string) => string, hash: number): readonly SourceEvent[] {
  const user = `system:serviceaccount:${name('payments')}:${name('sync')}`
  const request: LiveRequest = {
    seq: 1,
    at: 1,
    user,
    groups: [name('team')],
    address: name('host'),
    verb: 'watch',
    url: `/apis/${name('acme')}/v1/${name('bills')}?resourceVersion=${hash}&limit=500`,
    resource: `${name('bills')}.${name('acme')}`,
    namespace: name('payments'),
    name: name('bill'),
    state: 'executing',
    level: name('level'),
    schema: name('schema'),
    flow: user,
    queue: hash % 128,
    seats: { initial: 1, final: 0 },
  }
  const metadata = { uid: name('uid'), resourceVersion: String(hash), generation: 1 }
  const builtIn = builtInObjects('v1.36.3')
  const [level] = builtIn.levels.filter((one) => one.metadata.name === LEVEL)
  const later = { laterField: hash, [name('member')]: hash }
  const objects = ObjectSetSchema.parse({
    levels: [
      { ...level, metadata: { ...metadata, ...later, name: name('level') }, spec: { ...level?.spec, ...later } },
    ],
    schemas: [],
  })
  const facts = (names: readonly string[]): SourceEvent => ({
    kind: 'facts',
    server: name('host'),
    facts: {
      objects: new Map(names.map((one) => [one, { count: 1, averageSize: 1 }])),
      watches: names.map((resource) => ({ apiGroup: '', resource, total: 1 })),
    },
  })
  const dump = dumpOf(FLOWS.slice(0, 3))
  const moved = {
    ...dump,
    server: name('host'),
    queues: dump.queues?.map((queue) => ({ ...queue, level: name('level'), pending: 0 })) ?? [],
    requests:
      dump.requests?.slice(0, 1).map((one) => ({ ...one, flow: user, queue: hash % 64, position: hash % 7 })) ?? [],
  }
  return [
    { kind: 'requests', changes: { event: 1, from: 0, requests: [request], dropped: 0 } },
    { kind: 'objects', origin: 'cluster', reading: { state: 'current', objects } },
    facts(['pods', name('bills'), name('acmes')].toSorted()),
    { kind: 'dump', dump: moved },
  ]
}

test('of two clusters that differ in names and in what is derived from them, the same is left', () => {
  const [ours, theirs] = ['x-', 'a-'].map((prefix, i) => {
    const anonymiser = createAnonymiser((word) => hashOf(word.replaceAll(prefix, '')))
    return clusterOf((word) => `${prefix}${word}`, 1_000 + 77 * i).map((event) => anonymiser.event(event))
  })
  expect(ours).toEqual(theirs)
  expect(JSON.stringify(ours)).not.toContain('laterField')
})
