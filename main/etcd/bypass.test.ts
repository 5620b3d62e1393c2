import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BypassCount, handledIn } from './bypass.ts'

const callCount = () => ({ begun: 0, answered: 0, givenUp: 0 })

describe('what went past a proxy', () => {
  test('is the part of what the member answered that was not asked here', async () => {
    const count = new BypassCount()
    const calls = callCount()
    let now = 0
    const look = (handled: number | undefined) =>
      count.look(
        calls,
        () => now,
        () => Promise.resolve(handled),
      )
    await look(1_000)
    expect(count.reading).toBeUndefined()
    now = 10_000
    calls.begun = calls.answered = 30
    await look(1_100)
    expect(count.reading).toEqual({ answered: 100, outside: 70, seconds: 10 })
    // For another minute, no call bypasses it.
    for (now = 20_000; now <= 90_000; now += 10_000) {
      calls.begun = calls.answered += 5
      await look(1_100 + 5 * (now / 10_000 - 1))
    }
    expect(count.reading).toMatchObject({ outside: 0, seconds: 60 })
    // A member that restarted, and one that does not report its count.
    await look(3)
    expect(count.reading).toBeUndefined()
    await look(4)
    expect(count.reading).toMatchObject({ answered: 1 })
    await look(undefined)
    expect(count.reading).toBeUndefined()
  })

  test('is never claimed of calls that came through it, whenever the member counts them', async () => {
    // Calls that happen between two readings, and while the member writes its page.
    const aStep = fc.record({
      what: fc.constantFrom('begin', 'count', 'answer', 'giveUp', 'look', 'lookSlowly'),
      which: fc.nat(5),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(aStep, { maxLength: 60 }), async (steps) => {
        const count = new BypassCount()
        const calls = callCount()
        let handled = 0
        let now = 0
        let under: { counted: boolean; givenUpAt?: number }[] = []
        const happen = (what: string, which: number): void => {
          const call = under[which % Math.max(1, under.length)]
          if (what === 'begin') {
            calls.begun += 1
            under.push({ counted: false })
          } else if (call !== undefined && what === 'count' && !call.counted) {
            call.counted = true
            handled += 1
          } else if (call !== undefined && what === 'answer' && call.givenUpAt === undefined) {
            if (!call.counted) handled += 1
            calls.answered += 1
            under = under.filter((one) => one !== call)
          } else if (call !== undefined && what === 'giveUp' && call.givenUpAt === undefined) {
            calls.givenUp += 1
            call.givenUpAt = now
          }
        }
        for (const [index, { what, which }] of steps.entries()) {
          if (!what.startsWith('look')) {
            happen(what, which)
            continue
          }
          now += 10_000
          // Calls given up before the last reading have passed through the member.
          for (const call of under)
            if (call.givenUpAt !== undefined && call.givenUpAt < now - 10_000 && !call.counted) handled += 1
          under = under.filter(({ givenUpAt }) => givenUpAt === undefined || givenUpAt >= now - 10_000)
          await count.look(
            calls,
            () => now,
            () => {
              const page = handled
              if (what === 'lookSlowly')
                for (const next of steps.slice(index + 1, index + 4)) happen(next.what, next.which)
              return Promise.resolve(page)
            },
          )
          expect(count.reading?.outside ?? 0).toBe(0)
        }
      }),
    )
  })

  test('is read of the service of keys alone', () => {
    const line = (service: string, code: string, value: number) =>
      `grpc_server_handled_total{grpc_code="${code}",grpc_method="Range",grpc_service="${service}",grpc_type="unary"} ${value}\n`
    expect(
      handledIn(
        `# HELP x\n${line('etcdserverpb.KV', 'OK', 7)}${line('etcdserverpb.KV', 'Canceled', 2)}${line('etcdserverpb.Maintenance', 'OK', 90)}`,
      ),
    ).toBe(9)
    expect(handledIn('up 1\n')).toBeUndefined()
    expect(handledIn(line('etcdserverpb.Lease', 'OK', 90))).toBe(0)
  })
})
