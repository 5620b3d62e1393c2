import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { builtInObjects } from '../../core/config/builtIn.ts'
import { exportHelm, type DraftChange } from '../../core/manifest/export.ts'
import { writeManifest } from '../../core/manifest/write.ts'
import { onPath } from '../chromium.mjs'
import { ensureHelm, lintChart, manifestsIn, renderChart } from './helm.ts'

describe.skipIf(onPath('go') === undefined)('a draft that was exported as a chart', () => {
  let helm = ''
  let folder = ''
  beforeAll(async () => {
    helm = await ensureHelm((line) => console.warn(line))
    folder = await mkdtemp(join(tmpdir(), 'apf-chart-'))
  }, 900_000)
  afterAll(() => rm(folder, { recursive: true }))

  async function rendered(changes: readonly DraftChange[]) {
    const chart = await mkdtemp(join(folder, 'c'))
    for (const { path, text } of exportHelm(changes)) {
      await mkdir(dirname(join(chart, path)), { recursive: true })
      await writeFile(join(chart, path), text)
    }
    expect(await lintChart(helm, [], chart)).toContain('0 chart(s) failed')
    return renderChart(helm, [], chart)
  }
  const byName = (a: { metadata: { name: string } }, b: { metadata: { name: string } }): number =>
    a.metadata.name < b.metadata.name ? -1 : 1
  const { levels, schemas } = builtInObjects('v1.37.2')
  const created: readonly DraftChange[] = [
    ...levels.map((to) => ({ kind: 'PriorityLevelConfiguration' as const, name: to.metadata.name, from: null, to })),
    ...schemas.map((to) => ({ kind: 'FlowSchema' as const, name: to.metadata.name, from: null, to })),
  ]

  it('is rendered by Helm as its objects, and what existed is kept when the chart goes', async () => {
    const own = ({ kind }: DraftChange): boolean => kind === 'FlowSchema'
    const objects = created.filter(own)
    const expected = objects.flatMap(({ kind, to }) => (to === null ? [] : manifestsIn(writeManifest(kind, to))))
    expect((await rendered(objects)).toSorted(byName)).toEqual(expected.toSorted(byName))
    const changed = await rendered(created.map((change) => ({ ...change, from: change.to })))
    expect(changed).toHaveLength(created.length)
    for (const { metadata } of changed)
      expect(metadata).toMatchObject({ annotations: { 'helm.sh/resource-policy': 'keep' } })
  })

  it('has the texts of its objects as they are, whatever Helm would make of them', async () => {
    const [first] = schemas
    if (first === undefined) throw new Error('no flow schema')
    const text = fc.string({
      unit: fc.constantFrom('{', '}', 'a', '"', '`', ' ', '\n', '-', '.Values', '\\', "'", '$'),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 20 }), async (texts) => {
        const annotations = Object.fromEntries(texts.map((one, n) => [`example.com/${n}`, one]))
        const to = { ...first, metadata: { name: 'made', annotations } }
        const manifests = await rendered([{ kind: 'FlowSchema', name: 'made', from: null, to }])
        expect(manifests).toMatchObject([{ metadata: { annotations } }])
      }),
      { numRuns: 30 },
    )
  })
})
