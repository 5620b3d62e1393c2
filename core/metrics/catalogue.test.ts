import { describe, expect, it } from 'vitest'
import { captureVersions, metricsPages, readFixture } from '../../test/fixtures/load.ts'
import { CATALOGUE, missingFamilies, NEEDED_FAMILIES, REQUEST_TIME_FAMILIES } from './catalogue.ts'
import { createParser } from './parse.ts'

const PREFIX = 'apiserver_flowcontrol_'
const LIMIT = `${PREFIX}request_concurrency_limit`
const IN_USE = `${PREFIX}request_concurrency_in_use`

/** What each captured version hides (specification 8.4); nothing else may be missing from a captured page. */
const HIDDEN: Record<(typeof captureVersions)[number], string[]> = {
  'v1.30.14': [],
  'v1.31.0': [LIMIT],
  'v1.33.13': [IN_USE, LIMIT],
  'v1.36.3': [IN_USE, LIMIT],
}

const pages = metricsPages.map((path) => {
  const version = captureVersions.find((known) => path.includes(known))
  if (version === undefined) throw new Error(`no version in ${path}`)
  return { path, version, page: createParser().parse(readFixture(path)) }
})

describe.each(pages)('catalogue against $path', ({ version, page }) => {
  it('finds missing exactly what the version hides', () => {
    const missing = missingFamilies(version, new Set(page.families.keys()))
    expect(missing.map(({ family }) => family)).toEqual(HIDDEN[version])
    expect(missing.every(({ reason }) => reason === 'hidden')).toBe(true)
  })

  it('knows every flow-control family, and those of the times of requests, with type and labels', () => {
    for (const family of page.families.values()) {
      if (!family.name.startsWith(PREFIX) && !REQUEST_TIME_FAMILIES.includes(family.name)) continue
      const known = CATALOGUE.get(family.name)
      expect(known, family.name).toBeDefined()
      expect(family.type, family.name).toBe(known?.type)
      const labels = new Set(family.series.flatMap((series) => Object.keys(series.labels)))
      labels.delete('le')
      expect([...labels].toSorted(), family.name).toEqual([...(known?.labels ?? [])].toSorted())
      const stability = /\[(ALPHA|BETA|STABLE)\]/.exec(family.help ?? '')?.[1]
      expect(known?.stability, family.name).toBe(stability)
    }
  })
})

describe('catalogue', () => {
  it('has the 32 families of 1.37 and the two that it removed', () => {
    const flowControl = [...CATALOGUE.values()].filter(({ name }) => name.startsWith(PREFIX))
    expect(flowControl).toHaveLength(34)
    expect(flowControl.filter(({ removedIn }) => removedIn === undefined)).toHaveLength(32)
  })

  it('takes for present at rest what every idle page shows', () => {
    const idle = pages.filter(({ path }) => path.includes('/idle/'))
    const shown = [...CATALOGUE.values()].filter(({ name }) => idle.every(({ page }) => page.families.has(name)))
    const atRest = [...CATALOGUE.values()].filter((family) => family.presence === 'at-rest' && !family.hiddenFrom)
    // A server that never estimated a mutating request has no watch counts; the captured ones had some.
    const expected = [...atRest.map(({ name }) => name), `${PREFIX}watch_count_samples`]
    expect(shown.map(({ name }) => name).toSorted()).toEqual(expected.toSorted())
  })
})

describe('missingFamilies', () => {
  const without = (...names: string[]) => new Set([...NEEDED_FAMILIES].filter((name) => !names.includes(name)))

  it.each([
    ['v1.29.0', 'not-exposed', 'not-exposed'],
    ['v1.30.14', 'not-exposed', 'not-exposed'],
    ['v1.31.0', 'hidden', 'not-exposed'],
    ['v1.32.9-eks-3025e55', 'hidden', 'hidden'],
    ['v1.33.5-gke.1162000', 'hidden', 'hidden'],
    ['v1.36.3', 'hidden', 'hidden'],
    ['v1.37.0-beta.0', 'removed', 'removed'],
    ['v1.52.0', 'removed', 'removed'],
    ['v2.0.0', 'removed', 'removed'],
  ])('judges the deprecated families by the rules of %s', (version, limit, inUse) => {
    expect(missingFamilies(version, without(LIMIT, IN_USE))).toEqual([
      expect.objectContaining({ family: IN_USE, reason: inUse }),
      expect.objectContaining({ family: LIMIT, reason: limit }),
    ])
  })

  it('reports nothing for a version that shows hidden families on request', () => {
    expect(missingFamilies('v1.36.3', NEEDED_FAMILIES)).toEqual([])
  })

  it('does not miss what appears only after its first event', () => {
    const name = `${PREFIX}rejected_requests_total`
    expect(missingFamilies('v1.36.3', without(name))).toEqual([])
  })

  it('misses what appears with the first queued request, where something else that does is there', () => {
    const first = ['current_inqueue_requests', 'current_inqueue_seats', 'request_queue_length_after_enqueue']
    const names = [...first, 'request_wait_duration_seconds'].map((name) => `${PREFIX}${name}`)
    expect(missingFamilies('v1.36.3', without(...names))).toEqual([])
    for (const name of names)
      expect(missingFamilies('v1.36.3', without(name))).toMatchObject([{ family: name, reason: 'not-exposed' }])
  })

  it('misses what a version shows at rest', () => {
    const name = `${PREFIX}current_limit_seats`
    expect(missingFamilies('v1.36.3', without(name))).toEqual([
      { family: name, reason: 'not-exposed', note: expect.stringContaining('Current limits are unknown') },
    ])
  })

  it('says so when a family is younger than the server', () => {
    const name = `${PREFIX}current_inqueue_seats`
    expect(missingFamilies('v1.28.4', without(name))).toEqual([
      expect.objectContaining({ family: name, reason: 'not-yet' }),
    ])
    expect(missingFamilies('v1.29.0', without(name))).toMatchObject([{ family: name, reason: 'not-exposed' }])
  })

  it('judges an unknown version by the newest rules, and does not say what that version has', () => {
    for (const version of [undefined, 'devel']) {
      expect(missingFamilies(version, without(LIMIT))).toEqual([
        expect.objectContaining({ family: LIMIT, reason: 'removed' }),
      ])
      const [limits] = missingFamilies(version, without(`${PREFIX}current_limit_seats`))
      expect(limits?.note).toMatch(/^Not in the page\. /)
    }
  })
})
