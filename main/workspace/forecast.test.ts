import { expect, test } from 'vitest'
import type { ForecastEvent, ForecastWish } from '../../core/contract/forecast.ts'
import type { Twin } from '../../core/twin/twin.ts'
import type { ForecastStep, ForecastTask, WhatIfRunner } from '../ports/whatIf.ts'
import type { ConnectedSource } from './connectedSource.ts'
import { forecastHandlers } from './forecast.ts'

interface Begun {
  readonly task: ForecastTask
  readonly emit: (step: ForecastStep) => void
  readonly isOver: () => boolean
}

const TWIN: Twin = {
  variant: { name: 'server' },
} as unknown as Twin

function runner(present?: { ms: number }) {
  const begun: Begun[] = []
  const forecast: WhatIfRunner['forecast'] = (task, emit, signal) =>
    void begun.push({ task, emit, isOver: () => signal.aborted })
  const evidence = { history: {}, flows: [], earlier: {} }
  const source = {
    connection: { spec: { kind: present === undefined ? 'scrape' : 'simulation' } },
    call: (name: string) =>
      Promise.resolve(name === 'simulation.state' ? { at: new Date(present?.ms ?? 0).toISOString() } : evidence),
  } as unknown as ConnectedSource
  const handlers = forecastHandlers({
    runner: { forecast } as unknown as WhatIfRunner,
    sourceOf: () => source,
    environment: { now: () => (present?.ms ?? 0) / 10 },
  })
  const ask = (shares: number) => {
    const end = new AbortController()
    const events: ForecastEvent[] = []
    const wish = { of: { connection: 1, server: 'a' }, before: {}, after: { shares } } as unknown as ForecastWish
    handlers.forecast(wish, (event) => void events.push(event), end.signal)
    return { end, events }
  }
  return { begun, ask }
}

const settled = (): Promise<unknown> => new Promise((resolve) => void setImmediate(resolve))

test('the next draft goes on with the fit that an earlier one began', async () => {
  const { begun, ask } = runner()
  const first = ask(1)
  const second = ask(2)
  await settled()
  expect(begun).toHaveLength(1)
  first.end.abort()
  begun[0]?.emit({ kind: 'progress', part: 0.25 })
  expect(begun[0]?.isOver()).toBe(false)
  expect(second.events).toEqual([{ kind: 'progress', part: 0.25 }])
  begun[0]?.emit({ kind: 'twin', twin: TWIN })
  await settled()
  expect(begun[0]?.isOver()).toBe(true)
  expect(begun.slice(1).map(({ task }) => [task.twin, task.wish.after])).toEqual([[TWIN, { shares: 2 }]])
  begun[1]?.emit({ kind: 'progress', part: 0.5 })
  expect(second.events.at(-1)).toEqual({ kind: 'progress', part: 0.75 })
  expect(first.events).toEqual([])
  ask(3)
  await settled()
  expect(begun.at(-1)?.task).toMatchObject({ twin: TWIN, wish: { after: { shares: 3 } } })
})

test('fits again once a minute of the source has passed, which at ×10 is six seconds', async () => {
  const present = { ms: 0 }
  const { begun, ask } = runner(present)
  ask(1)
  await settled()
  begun[0]?.emit({ kind: 'twin', twin: TWIN })
  await settled()
  present.ms = 50_000
  ask(2)
  await settled()
  expect(begun.at(-1)?.task).toMatchObject({ twin: TWIN })
  present.ms = 70_000
  ask(3)
  await settled()
  expect(begun.at(-1)?.task).not.toHaveProperty('twin')
})

test('a fit ends with the last draft that waits for it, and one that fails is tried again', async () => {
  const { begun, ask } = runner()
  const first = ask(1)
  await settled()
  first.end.abort()
  expect(begun[0]?.isOver()).toBe(true)
  const second = ask(2)
  await settled()
  expect(begun).toHaveLength(2)
  begun[1]?.emit({ kind: 'failed', problem: { code: 'internal', message: 'No memory.' } })
  await settled()
  expect(second.events).toEqual([{ kind: 'failed', problem: { code: 'internal', message: 'No memory.' } }])
  ask(3)
  await settled()
  expect(begun).toHaveLength(3)
})
