import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Client } from '../../core/contract/contract.ts'
import type { Moment } from '../../core/contract/recording.ts'
import type { Connected } from '../../core/contract/source.ts'
import { connectionStore } from './connection.ts'
import { pastStore } from './past.ts'
import { startPast } from './pastReader.ts'
import { timeStore } from './time.ts'

const START = Date.UTC(2026, 10, 21, 3)
const SECOND = 1_000

const connected = (id: number): Connected => ({
  id,
  source: { kind: 'scrape', name: `source ${id}`, via: '/metrics' },
  spec: { kind: 'demo' },
  still: false,
  cadence: { intervalMs: 1_000, dumpsEveryMs: null },
  servers: [],
})
const moment = (at: number): Moment => ({
  at,
  frame: { formatVersion: 1, at: new Date(at).toISOString(), source: connected(1).source, servers: [] },
  derived: [],
  health: [],
})

interface Asked {
  readonly name: string
  readonly connection: number
  readonly at: number | undefined
  readonly answer: () => void
  readonly fail: () => void
}

/** Another side whose answers about moments are supplied by hand; the past of connection n is connection n + 100. */
function handClient() {
  const asked: Asked[] = []
  const call = (name: string, { connection, at }: { connection: number; at?: number }): Promise<unknown> => {
    if (name === 'past.open') return Promise.resolve(connection + 100)
    if (name === 'past.extent') return Promise.resolve({ first: START, last: START + 600_000, gaps: [], problems: [] })
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const answer = (): void => resolve(moment(at ?? 0))
    asked.push({ name, connection, at, answer, fail: () => reject(new Error('It was not to be read.')) })
    return promise
  }
  const client: Client = { call: call as never, subscribe: () => () => undefined, onLink: () => () => undefined }
  return { client, asked }
}

let hand: ReturnType<typeof handClient>
let pauses: (() => void)[]
let stop: () => void

const settle = async (): Promise<void> => {
  for (let round = 0; round < 20; round += 1) await Promise.resolve()
}
/** Lets the page draw. */
const draw = async (): Promise<void> => {
  for (const go of pauses.splice(0)) go()
  await settle()
}
const drag = async (second: number): Promise<void> => {
  timeStore.getState().goTo(START + second * SECOND)
  await settle()
}
const seconds = (): readonly number[] => hand.asked.map(({ at = 0 }) => (at - START) / SECOND)
const answerLast = async (): Promise<void> => {
  hand.asked.at(-1)?.answer()
  await settle()
}
const shown = (): number | undefined => {
  const { moment: known } = pastStore.getState()
  return known && (known.at - START) / SECOND
}

beforeEach(async () => {
  hand = handClient()
  pauses = []
  connectionStore.setState({ connections: [connected(1), connected(2)], connection: connected(1) })
  timeStore.getState().zoom(START, START + 600_000)
  timeStore.getState().goTo(START + 10 * SECOND)
  stop = startPast(hand.client, () => new Promise((resolve) => pauses.push(resolve)))
  await settle()
  await answerLast()
})
afterEach(() => {
  stop()
  timeStore.getState().live()
  connectionStore.setState(connectionStore.getInitialState(), true)
})

test('one instant is read at a time, and then the one that the pointer has come to', async () => {
  expect(shown()).toBe(10)
  await drag(11)
  await drag(12)
  // The page is still drawing the first one.
  expect(seconds()).toEqual([10])
  await draw()
  expect(seconds()).toEqual([10, 12])
  await drag(13)
  await drag(14)
  await answerLast()
  expect(shown()).toBe(12)
  await draw()
  expect(seconds()).toEqual([10, 12, 14])
  await answerLast()
  expect(shown()).toBe(14)
})

test('a drag that ends while an instant is read shows the last one, and a second drag goes on', async () => {
  await draw()
  await drag(20)
  await drag(30)
  await answerLast()
  await draw()
  await answerLast()
  expect(shown()).toBe(30)
  await draw()
  // No further request while the pointer rests.
  expect(seconds()).toEqual([10, 20, 30])
  await drag(40)
  await answerLast()
  await draw()
  await drag(50)
  await answerLast()
  expect(shown()).toBe(50)
})

test('an instant that cannot be read is said, and the next one is read all the same', async () => {
  await draw()
  await drag(20)
  hand.asked.at(-1)?.fail()
  await settle()
  expect(pastStore.getState()).toMatchObject({ failedAt: START + 20 * SECOND, problem: { code: 'internal' } })
  expect(shown()).toBeUndefined()
  await drag(30)
  await draw()
  await answerLast()
  expect(shown()).toBe(30)
  expect(pastStore.getState().problem).toBeUndefined()
})

test.each(['answer', 'fail'] as const)(
  'another source while an instant is read: its %s is that of the other',
  async (end) => {
    await draw()
    await drag(20)
    connectionStore.setState({ connection: connected(2) })
    await settle()
    hand.asked.at(-1)?.[end]()
    await settle()
    expect(pastStore.getState().problem).toBeUndefined()
    expect(shown()).toBeUndefined()
    await draw()
    expect(hand.asked.at(-1)).toMatchObject({ connection: 102, at: START + 20 * SECOND })
    await answerLast()
    expect(pastStore.getState()).toMatchObject({ of: 2, connection: 102, moment: { at: START + 20 * SECOND } })
    await draw()
    await drag(21)
    await answerLast()
    expect(shown()).toBe(21)
  },
)

test('the present comes back at once, whatever is under way', async () => {
  await draw()
  await drag(20)
  timeStore.getState().live()
  expect(shown()).toBeUndefined()
  await answerLast()
  await draw()
  expect(shown()).toBeUndefined()
  timeStore.getState().zoom(START, START + 600_000)
  await drag(30)
  await answerLast()
  await draw()
  await answerLast()
  expect(shown()).toBe(30)
})

test.each(['while an instant is read', 'while the page draws'])('an ended reader changes nothing, %s', async (when) => {
  await draw()
  await drag(20)
  if (when === 'while the page draws') await answerLast()
  stop()
  pastStore.setState({ of: 2, connection: 102, moment: moment(START) }, true)
  await answerLast()
  await draw()
  expect(pastStore.getState()).toEqual({ of: 2, connection: 102, moment: moment(START) })
})
