import { describe, expect, test } from 'vitest'
import { DEFAULT_SETTINGS } from '../../core/contract/defaults.ts'
import type { KeptUpdate, UpdateState } from '../../core/contract/update.ts'
import { checkForUpdate, createUpdates } from './updates.ts'

const ADDRESS = 'https://releases.test/s3cret/apf.json?key=s3cret'
const PAGE = 'https://releases.test/v0.2.0'

const answering =
  (body: unknown, init?: ResponseInit): typeof fetch =>
  async () =>
    new Response(typeof body === 'string' ? body : JSON.stringify(body), init)

describe('what an address says', () => {
  test('a newer version has a link; the same and older ones are no update', async () => {
    const found = (version: string) => checkForUpdate(ADDRESS, '0.1.0', answering({ version, url: PAGE, more: 1 }))
    expect(await found('0.2.0')).toEqual({ state: 'newer', version: '0.2.0', url: PAGE })
    expect(await found('0.1.0')).toEqual({ state: 'current', latest: '0.1.0' })
    expect(await found('0.0.9')).toEqual({ state: 'current', latest: '0.0.9' })
    expect(await found('0.2.0-rc.1')).toEqual({ state: 'current', latest: '0.2.0-rc.1' })
  })

  test.each([
    ['no JSON', '<html>', /^releases\.test answered with something that is not/],
    ['another shape', { tag_name: 'v9.9.9' }, /^releases\.test answered with something that is not/],
    ['no version', { version: '9', url: PAGE }, /^releases\.test answered with something that is not/],
    ['a script as a link', { version: '9.9.9', url: 'javascript:alert(1)' }, /link that is no https address/],
    ['a file as a link', { version: '9.9.9', url: 'file:///etc/passwd' }, /link that is no https address/],
    ['a link over plain HTTP', { version: '9.9.9', url: 'http://evil.test/' }, /link that is no https address/],
    ['a link with a user', { version: '9.9.9', url: 'https://a:b@evil.test/' }, /link that is no https address/],
    ['no link', { version: '9.9.9', url: '' }, /link that is no https address/],
    ['control characters', { version: '9.9.9\u001b[2J', url: PAGE }, /not \{"version"/],
  ])('%s is refused in a sentence without the address', async (_what, body, sentence) => {
    const state = await checkForUpdate(ADDRESS, '0.1.0', answering(body))
    expect(state).toMatchObject({
      state: 'failed',
      problem: { code: 'bad-answer', message: expect.stringMatching(sentence) },
    })
    expect(JSON.stringify(state)).not.toContain('s3cret')
  })

  test('a redirect is not followed, wherever it leads', async () => {
    const asked: (RequestInit | undefined)[] = []
    for (const location of ['http://evil.test/', 'file:///etc/passwd', 'https://releases.test/other']) {
      const state = await checkForUpdate(ADDRESS, '0.1.0', async (_url, init) => {
        asked.push(init)
        return new Response(null, { status: 302, headers: { location } })
      })
      expect(state).toMatchObject({
        state: 'failed',
        problem: { message: /redirects elsewhere, which is not followed/ },
      })
    }
    expect(asked.every((init) => init?.redirect === 'manual')).toBe(true)
  })

  test('an answer without end is given up', async () => {
    let sent = 0
    let given = false
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 1
        controller.enqueue(new Uint8Array(16 * 1024).fill(0x20))
      },
      cancel: () => void (given = true),
    })
    const state = await checkForUpdate(ADDRESS, '0.1.0', async () => new Response(endless))
    expect(state).toMatchObject({ state: 'failed', problem: { message: /answered with more than 64 KiB/ } })
    expect(sent).toBeLessThan(10)
    expect(given).toBe(true)
  })

  test.each([[500], [404], [204]])('status %d is no version', async (status) => {
    const state = await checkForUpdate(ADDRESS, '0.1.0', async () => new Response(null, { status }))
    expect(state.state).toBe('failed')
  })

  test('a server that does not answer is named by its host alone', async () => {
    const state = await checkForUpdate(ADDRESS, '0.1.0', () => Promise.reject(new Error(`connect ${ADDRESS}`)))
    expect(state).toEqual({
      state: 'failed',
      problem: { code: 'unreachable', message: 'releases.test does not answer; the next check is in a day.' },
    })
  })

  test.each(['http://releases.test/x', 'https://a:b@releases.test/', 'file:///x', 'javascript:1', 'x', 'ftp://a/'])(
    '%s is never asked',
    async (address) => {
      const ask = (): never => {
        throw new Error('asked')
      }
      expect(await checkForUpdate(address, '0.1.0', ask)).toMatchObject({ problem: { code: 'invalid-input' } })
    },
  )

  test('this machine may be asked over plain HTTP, and nothing without an address', async () => {
    const local = await checkForUpdate(
      'http://127.0.0.1:8000/apf.json',
      '0.1.0',
      answering({ version: '0.2.0', url: PAGE }),
    )
    expect(local.state).toBe('newer')
    expect(await checkForUpdate('', '0.1.0', () => Promise.reject(new Error('asked')))).toEqual({ state: 'off' })
  })
})

describe('the check of a console', () => {
  const DAY_MS = 86_400_000
  function console(updateFrom: string, version = '0.1.0') {
    const world = { asked: 0, now: 1_000_000, kept: undefined as KeptUpdate | undefined, from: updateFrom }
    const store = {
      settings: {
        read: async () => ({ ...DEFAULT_SETTINGS, updateFrom: world.from }),
        change: () => Promise.reject(new Error('nothing is set')),
      },
      update: { read: async () => world.kept, write: async (kept: KeptUpdate) => void (world.kept = kept) },
    }
    const ask: typeof fetch = async () => {
      world.asked += 1
      return Response.json({ version: '0.2.0', url: PAGE })
    }
    const make = (own = version) => createUpdates({ store, version: own, now: () => world.now, ask })
    return { world, make, read: (): Promise<UpdateState> => make().read() }
  }

  test('asks nothing unless there is an address', async () => {
    const { world, read } = console('')
    expect(await read()).toEqual({ state: 'off' })
    expect(world).toMatchObject({ asked: 0, kept: undefined })
  })

  test('asks once a day, whoever and how many ask, and after a start as well', async () => {
    const { world, make, read } = console(ADDRESS)
    const one = make()
    expect(await Promise.all([one.read(), one.read()])).toEqual(
      Array.from({ length: 2 }, () => ({ state: 'newer', version: '0.2.0', url: PAGE })),
    )
    world.now += DAY_MS - 1
    await read()
    expect(world.asked).toBe(1)
    world.now += 1
    await read()
    expect(world.asked).toBe(2)
    // Results of another address, or of a check by another version, do not count.
    world.from = 'https://other.test/'
    await read()
    expect(world.asked).toBe(3)
    expect(await make('0.2.0').read()).toEqual({ state: 'current', latest: '0.2.0' })
    expect(world.asked).toBe(4)
    world.now -= 10 * DAY_MS
    await make('0.2.0').read()
    expect(world.asked).toBe(5)
  })
})
