import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pagesOf, SCREENS } from '../../core/contract/screens.ts'
import { formatHash, parseHash, type Route } from './route.logic.ts'

describe('addresses', () => {
  it('name screen, level, server and range', () => {
    expect(parseHash('#/level/workload-low?server=a%3A6443&range=last+300+s')).toEqual({
      screen: 'level',
      level: 'workload-low',
      server: 'a:6443',
      range: { kind: 'relative', seconds: 300 },
    })
  })

  it('carry source, server, range and instant', () => {
    const route: Route = {
      screen: 'overview',
      source: 'prod eu/1',
      server: 'a:6443',
      range: { kind: 'absolute', from: Date.UTC(2026, 10, 20, 3), to: Date.UTC(2026, 10, 20, 4) },
      at: Date.UTC(2026, 10, 20, 3, 7, 20),
    }
    expect(formatHash(route)).toBe(
      '#/overview?source=prod+eu%2F1&server=a%3A6443&range=2026-11-20T03%3A00%3A00.000Z%2F2026-11-20T04%3A00%3A00.000Z&at=2026-11-20T03%3A07%3A20.000Z',
    )
    expect(parseHash(formatHash(route))).toEqual(route)
  })

  it('of a run carry seconds since its start', () => {
    const route: Route = { screen: 'overview', range: { kind: 'absolute', from: 0, to: 60_000 }, at: 12_345 }
    expect(formatHash(route)).toBe('#/overview?range=0+s%2F60+s&at=12.345+s')
    expect(parseHash(formatHash(route))).toEqual(route)
  })

  it.each(['', '#', '#/', '#/nonsense', '#/../../etc', '#main'])('lead to the overview from %j', (hash) => {
    expect(parseHash(hash)).toEqual({ screen: 'overview' })
  })

  it('name a page and what it is about, the first page without a name', () => {
    expect(parseHash('#/editor/journal')).toEqual({ screen: 'editor', page: 'journal' })
    expect(parseHash('#/editor?object=FlowSchema%2Fprobes')).toEqual({
      screen: 'editor',
      page: 'draft',
      object: 'FlowSchema/probes',
    })
    expect(parseHash('#/overview/journal?object=x')).toEqual({ screen: 'overview' })
  })

  it('name a filter of live requests, also where they were a page of Classify', () => {
    expect(parseHash('#/level/workload-low?object=queue%3A17')).toEqual({
      screen: 'level',
      level: 'workload-low',
      object: 'queue:17',
    })
    const filtered = { screen: 'live', object: 'level:exempt' }
    expect(parseHash('#/live?object=level%3Aexempt')).toEqual(filtered)
    expect(parseHash('#/classify/live?object=level%3Aexempt')).toEqual(filtered)
  })

  it('take ranges as people write them, and say which cannot be shown', () => {
    const range = (text: string) => parseHash(`#/overview?range=${encodeURIComponent(text)}`)
    expect(range('300').range).toEqual({ kind: 'relative', seconds: 300 })
    expect(range('1h').range).toEqual({ kind: 'relative', seconds: 3_600 })
    expect(range('soon')).toEqual({ screen: 'overview', rangeProblem: expect.stringMatching(/^Write a range/) })
    expect(range('30 s').rangeProblem).toMatch(/between 1 min and 24 h/)
  })

  it('ignore what is broken', () => {
    expect(parseHash('#/level/%E0%A4%A')).toEqual({ screen: 'level', level: '%E0%A4%A' })
  })

  it('survive being written and read', () => {
    const text = fc.string({ minLength: 1 })
    const route: fc.Arbitrary<Route> = fc
      .record({ screen: fc.constantFrom(...SCREENS), place: fc.nat(), text, server: text })
      .map(({ screen, place, text: object, server }) => {
        const pages = pagesOf(screen)
        const page = pages[place % Math.max(1, pages.length)]
        if (page !== undefined) return { screen, page, object, server }
        if (screen === 'live') return { screen, object, server }
        return screen === 'level' ? { screen, level: object, object, server } : { screen, server }
      })
    fc.assert(
      fc.property(route, (value) => {
        expect(parseHash(formatHash(value))).toEqual(value)
      }),
    )
  })
})
