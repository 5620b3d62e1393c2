import { describe, expect, test } from 'vitest'
import { type UpstreamTests, upstreamTests } from './build.ts'
import { directly, failed, RULES_WITHOUT_MATCH, runSuite, startProxies, type Suite, SUITES } from './suites.ts'

/** ETCD_UPSTREAM_SUITES selects some of them, by parts of their names: `lease,WatchDelay`. */
const wanted = (process.env['ETCD_UPSTREAM_SUITES'] ?? '').split(',')
const suites = SUITES.filter(({ name }) => wanted.some((part) => name.includes(part)))

const built = await upstreamTests()
const tests: UpstreamTests | undefined = 'reason' in built ? undefined : built
if ('reason' in built) console.warn(`etcd’s own tests are skipped: ${built.reason}.`)

/** Failures of a busy machine are told from those of the proxy by two more runs. */
async function failuresBehind(
  programs: UpstreamTests,
  suite: Suite,
  rules: string | undefined,
): Promise<readonly string[]> {
  const proxies = await startProxies(programs, rules)
  try {
    const first = await runSuite(programs, suite, proxies)
    const known = suite.exceptions ?? {}
    const again = failed(first).filter((name) => known[name] === undefined)
    let left: readonly string[] = again
    for (let round = 0; round < 2 && left.length > 0; round++)
      left = failed(await runSuite(programs, suite, proxies, left))
    const count = (outcome: string): number => [...first.values()].filter((one) => one === outcome).length
    const exceptions = Object.keys(known).filter((name) => first.get(name) === 'FAIL')
    console.warn(
      `${suite.name}: ${count('PASS')} passed, ${count('SKIP')} skipped, ${exceptions.length} exceptions, ${again.length} failed in the first run (${again.join(', ') || 'none'}), ${left.length} in each (${left.join(', ') || 'none'}); ${Math.round((await proxies.memory()) / 1024 ** 2)} MiB`,
    )
    // The process that started is the one that ends the run.
    expect(proxies.ended()).toBe(undefined)
    return left
  } finally {
    await proxies.close()
  }
}

/** Those that succeed without the proxy; by then no proxy listens on a port that such a test needs. */
async function failures(suite: Suite, rules: string | undefined): Promise<readonly string[]> {
  if (tests === undefined) return []
  const left = await failuresBehind(tests, suite, rules)
  if (left.length === 0) return left
  const without = new Set(failed(await runSuite(tests, suite, directly(tests), left)))
  if (without.size > 0) console.warn(`${suite.name}: also without the proxy fail ${[...without].join(', ')}`)
  return left.filter((name) => !without.has(name))
}

describe.skipIf(tests === undefined)('etcd’s own tests have the same results behind the proxy', () => {
  const modes = [
    ['without rules', undefined],
    ['with 100 rules that match nothing', RULES_WITHOUT_MATCH],
  ] as const
  const all = suites.flatMap((suite) => modes.map(([mode, rules]) => ({ name: suite.name, suite, mode, rules })))
  test.each(all)('$name, $mode', async ({ suite, rules }) => {
    expect(await failures(suite, rules)).toEqual([])
  })
})
