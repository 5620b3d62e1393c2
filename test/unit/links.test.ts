import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { pagesOf, SCREENS } from '../../core/contract/screens.ts'
import { rfc3339 } from '../../core/units.ts'
import { isLink, LINK_SCHEME, parseLink } from '../../main/electron/link.ts'
import { formatHash, parseHash, type Route } from '../../renderer/state/route.logic.ts'
import { ROOT } from './sources.ts'

/** Text that a person can see, in any script. */
const seen = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
  .filter((text) => !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text))
const place = fc
  .constantFrom(...SCREENS)
  .chain((screen) => fc.record({ screen: fc.constant(screen), page: fc.constantFrom(undefined, ...pagesOf(screen)) }))
const routes = fc
  .record({
    place,
    level: fc.constantFrom('system', 'workload-low', 'a.b-c'),
    source: fc.option(seen, { nil: undefined }),
    server: fc.option(seen, { nil: undefined }),
    seconds: fc.option(fc.integer({ min: 60, max: 86_400 }), { nil: undefined }),
    at: fc.option(fc.integer({ min: 0, max: 4e12 }), { nil: undefined }),
  })
  .map(({ place: { screen, page }, level, source, server, seconds, at }): Route => ({
    screen,
    ...(screen === 'level' ? { level } : {}),
    ...(page === undefined ? {} : { page }),
    ...(source === undefined ? {} : { source }),
    ...(server === undefined ? {} : { server }),
    ...(seconds === undefined ? {} : { range: { kind: 'relative', seconds } }),
    ...(at === undefined ? {} : { at }),
  }))

test('an address of the page, written as a link, leads to the same place', () => {
  fc.assert(
    fc.property(routes, (route) => {
      const hash = formatHash(route)
      const parsed = parseLink(`${LINK_SCHEME}://${hash.slice(2)}`)
      expect(parsed).toMatchObject({ ok: true })
      expect(parsed.ok && parseHash(parsed.address)).toEqual(parseHash(hash))
    }),
  )
})

test('whatever a link holds, it leads to a known screen with known values, or is refused in one line', () => {
  const names = fc.oneof(
    fc.constantFrom('at', 'range', 'source', 'server', 'object', 'kubeconfig', '__proto__'),
    fc.string(),
  )
  const query = fc.array(fc.tuple(names, fc.string())).map((pairs) => new URLSearchParams(pairs).toString())
  const built = fc
    .tuple(
      fc.oneof(fc.constantFrom(...SCREENS), fc.webAuthority(), fc.string()),
      fc.oneof(fc.webPath(), fc.string()),
      query,
    )
    .map(([screen, path, rest]) => `${LINK_SCHEME}://${screen}${path}?${rest}`)
  const any = fc.oneof(
    built,
    fc.string(),
    fc.webUrl(),
    fc.string().map((rest) => `${LINK_SCHEME}:${rest}`),
  )
  fc.assert(
    fc.property(any, (link) => {
      const parsed = parseLink(link)
      if (parsed.ok) {
        expect(isLink(link)).toBe(true)
        expect(parsed.address).toMatch(/^#\/[a-z]+[!-~]*$/)
        const [, given = ''] = parsed.address.split('?', 2)
        for (const name of new URLSearchParams(given).keys())
          expect(['object', 'source', 'server', 'range', 'at']).toContain(name)
        const { screen } = parseHash(parsed.address)
        expect(parsed.address.slice(2)).toMatch(new RegExp(`^${screen}(?:[/?]|$)`))
      } else {
        expect(parsed.why).toMatch(/^[A-Z][^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*\.$/u)
        expect(parsed.why.length).toBeLessThan(400)
      }
    }),
    { numRuns: 200 },
  )
})

const at = rfc3339(0)
test.each([
  [`apf-console://overview?kubeconfig=/tmp/evil`, /has “kubeconfig”, which is not allowed/],
  [`apf-console://connection?file=/etc/passwd`, /has “file”, which is not allowed/],
  [`apf-console://editor/draft?edit=on`, /has “edit”/],
  [`apf-console://overview?__proto__=x`, /which is not allowed|cannot be read/],
  [`apf-console://evil.test/`, /names no screen/],
  [`apf-console:overview`, /begins with apf-console:\/\//],
  [`https://overview/`, /begins with apf-console:\/\//],
  [`apf-console://me:secret@overview`, /not contain a user/],
  [`apf-console://overview:6443`, /not contain a user, a port/],
  [`apf-console://overview#/editor`, /not contain a user, a port or #/],
  [`apf-console://level/..%2F..%2Fetc`, /names no priority level/],
  [`apf-console://level/%3Cimg%3E`, /names no priority level/],
  [`apf-console://classify/nowhere`, /names no page of classify/],
  [`apf-console://overview/extra`, /names no page of overview/],
  [`apf-console://overview?at=yesterday`, /The at of the link cannot be read/],
  [`apf-console://overview?at=${at}&at=${at}`, /has “at” twice/],
  [`apf-console://overview?source=a%1b%5b2Jb`, /The source of the link cannot be read/],
  [`apf-console://overview?source=%E2%80%AEevil`, /The source of the link cannot be read/],
  [`apf-console://overview?source=${'a'.repeat(3_000)}`, /longer than/],
  [`apf-console://overview" --kubeconfig=x`, /no blanks/],
])('%s is refused', (link, why) => {
  const parsed = parseLink(link)
  expect(parsed.ok ? parsed.address : parsed.why).toMatch(why)
})

test('the package registers the same scheme', () => {
  const { protocols } = z
    .object({ protocols: z.array(z.object({ schemes: z.array(z.string()) })) })
    .parse(parse(readFileSync(join(ROOT, 'electron-builder.yml'), 'utf8')))
  expect(protocols.flatMap(({ schemes }) => schemes)).toEqual([LINK_SCHEME])
})
