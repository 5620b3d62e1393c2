import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { API_VERSION, manifestOf } from '../../core/config/content.ts'
import type { JsonObject } from '../../core/config/jsonValues.ts'
import { AUTOUPDATE_ANNOTATION, type ObjectSet } from '../../core/config/objects.ts'
import { seatImpact } from '../../core/impact/seatImpact.ts'
import { ensureBuilt } from '../../main/bootstrap/build.mjs'
import { readClusterObjects } from '../../main/cluster/readObjects.ts'
import { launchChromium } from '../harness/chromium.ts'
import { startConsole, type RunningConsole } from '../harness/webConsole.ts'
import { startCutter, type Cutter } from './cutter.ts'
import { editorPage, type EditorPage } from './editorPage.ts'
import { flowControl, LEVEL, level } from './flowControl.ts'
import { ADMIN, VIEWER } from './identities.ts'
import { readSamples, total, type Sample } from './independent.ts'
import { demandIn, reportedLimits, strayLimits, type Limits } from './limits.ts'
import { runLoad } from './load.ts'
import { saturating, seed } from './profiles.ts'
import { noCluster, useCluster } from './suite.ts'
import { allNamed } from '../harness/consent.ts'

/*
 * The editor in a browser, over the console's own process, on a real server: what the screen predicts is what the
 * server then reports, and no failure on the way loses anything.
 */

const SEATS = 600
/** One adjustment period, and time to read a page. */
const PERIOD_MS = 12_000
/** Two recomputations. */
const PAGES = 22
const SOON = { timeout: 20_000 }
const MOST_SHARES = 500
const POLICY_SAYS = `No level has more than ${MOST_SHARES} shares.`

const queuing = { type: 'Queue', queuing: { queues: 32, handSize: 4, queueLengthLimit: 40 } }
const batch = (shares: number, more: object = {}): JsonObject =>
  level('batch', {
    type: 'Limited',
    limited: { nominalConcurrencyShares: shares, lendablePercent: 50, limitResponse: queuing, ...more },
  })
const toBatch: JsonObject = {
  apiVersion: API_VERSION,
  kind: 'FlowSchema',
  metadata: { name: 'batch' },
  spec: {
    priorityLevelConfiguration: { name: 'batch' },
    matchingPrecedence: 500,
    distinguisherMethod: { type: 'ByUser' },
    rules: [
      {
        subjects: [{ kind: 'ServiceAccount', serviceAccount: { namespace: 'batch', name: 'crawler' } }],
        resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'] }],
      },
    ],
  },
}
/** A rule of the cluster's own, which the console does not check. */
const POLICY: Readonly<Record<string, JsonObject>> = {
  validatingadmissionpolicies: {
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'shares' },
    spec: {
      matchConstraints: {
        resourceRules: [
          {
            apiGroups: ['flowcontrol.apiserver.k8s.io'],
            apiVersions: ['*'],
            operations: ['CREATE', 'UPDATE'],
            resources: ['prioritylevelconfigurations'],
          },
        ],
      },
      validations: [
        {
          expression: `!has(object.spec.limited) || object.spec.limited.nominalConcurrencyShares <= ${MOST_SHARES}`,
          message: POLICY_SAYS,
        },
      ],
    },
  },
  validatingadmissionpolicybindings: {
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: 'shares' },
    spec: { policyName: 'shares', validationActions: ['Deny'] },
  },
}

describe.skipIf(noCluster)('the editor on a real server', () => {
  const cluster = useCluster({ maxInflight: 400, maxMutatingInflight: SEATS - 400 })
  const { read, applyAs } = flowControl(cluster)
  const end = new AbortController()
  let load: Promise<unknown> | undefined
  let folder = ''
  let cutter: Cutter
  let running: RunningConsole | undefined
  let browser: Browser | undefined
  let page: Page
  let editor: EditorPage
  const complaints: string[] = []

  beforeAll(async () => {
    await ensureBuilt()
    folder = await mkdtemp(join(tmpdir(), 'apf-editing-'))
    await seed(cluster())
    await applyAs('kubectl', batch(20))
    await applyAs('kubectl', toBatch)
    load = runLoad(cluster(), saturating, 600, end.signal)
    cutter = await startCutter(cluster(), VIEWER, folder)
    running = await startConsole(['--kubeconfig', cutter.kubeconfig])
    browser = await launchChromium()
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' })
    page = await context.newPage()
    page.setDefaultTimeout(20_000)
    page.on('pageerror', (error) => complaints.push(error.message))
    editor = editorPage(page)
    await page.goto(running.address)
  })
  afterAll(async () => {
    end.abort()
    await browser?.close()
    await running?.stop()
    await load
    await cutter.close()
    await rm(folder, { recursive: true, force: true })
  })

  const metrics = async (): Promise<readonly Sample[]> => readSamples((await cluster().call('/metrics', ADMIN)).body)
  const objects = async (): Promise<ObjectSet> =>
    (await readClusterObjects({ kind: 'kubeconfig', file: cluster().kubeconfig }, allNamed)).objects
  /** The screen shows no upper limit for Exempt levels. */
  const reported = async (as: Limits): Promise<Limits> =>
    Object.fromEntries(
      Object.entries(reportedLimits(await metrics())).map(([name, limits]) => [
        name,
        limits.slice(0, as[name]?.length ?? limits.length),
      ]),
    )
  const untilReported = async (limits: Limits): Promise<void> => {
    await expect.poll(() => reported(limits), { timeout: PERIOD_MS, interval: 500 }).toEqual(limits)
  }
  const stored = async (name: string): Promise<JsonObject> => manifestOf(LEVEL, (await read(LEVEL, name)) ?? {})
  /** What the server answers to a dry run. */
  const tried = async (as: string, object: JsonObject): Promise<number> => {
    const path = `/apis/${API_VERSION}/prioritylevelconfigurations/batch?dryRun=All&fieldManager=tests&force=true`
    const call = { method: 'PATCH', body: JSON.stringify(object), contentType: 'application/apply-patch+yaml' }
    return (await cluster().call(path, as, call)).status
  }
  const limitedOf = async (name: string): Promise<unknown> => {
    const { spec } = await stored(name)
    return (spec as JsonObject)['limited']
  }

  it('says what the user lacks, and goes on when that was granted', async () => {
    await editor.openLevel('batch')
    await editor.button(/^Switch editing on for cut/).click()
    await editor.untilStep(/apf-viewer may not create/)
    await editor.button('Copy role and binding').click()
    const role = join(folder, 'role.yaml')
    await writeFile(role, await pasted(page))
    await cluster().apply(role, ADMIN)
    await expect.poll(() => tried(VIEWER, batch(20)), SOON).toBe(200)
    await editor.button('Check again').click()
    await editor.untilStep(/Editing of cut .* is on/)
  })

  it('applies what it predicts: the server reports the very limits of the screen, and an undo takes them back', async () => {
    const before = await objects()
    const [batchBefore, lowBefore] = [await stored('batch'), await stored('workload-low')]
    await expect.poll(() => editor.pane('Seat impact').innerText(), SOON).toContain(`${SEATS} seats on one server`)
    const present = await editor.shownLimits()
    expect(await reported(present)).toEqual(present)

    await editor.openLevel('batch')
    await editor.type({ Shares: '45', Lendable: '20', 'Borrowing limit': '70' })
    await editor.openLevel('workload-low')
    await editor.type({ Shares: '37', Lendable: '33', 'Borrowing limit': '15' })
    await editor.untilSaid('Guard rails', /restores the built-in spec of workload-low within 60 s/)
    await editor.button('Add to the draft').click()
    await editor.untilSaid('Diff of the draft', /autoupdate-spec: ["']false["']/)
    const predicted = await editor.shownLimits()
    expect(Object.keys(predicted).filter((name) => String(predicted[name]) !== String(present[name]))).toEqual(
      expect.arrayContaining(['batch', 'workload-low', 'system']),
    )

    await editor.button('Dry run').click()
    await editor.untilSaid('Dry run', /spec\.limited\.nominalConcurrencyShares belongs to kubectl/)
    await editor.untilSaid('Dry run', /belongs to api-priority-and-fairness-config-producer-v1/)
    expect(await objects()).toEqual(before)
    await editor.takeOver('room for batch')
    await editor.untilSaid('Applied', /batch is applied[^]*workload-low is applied/)
    await untilReported(predicted)
    expect(await stored('workload-low')).toMatchObject({
      metadata: { annotations: { [AUTOUPDATE_ANNOTATION]: 'false' } },
    })
    await editor.untilEdited('batch', false)

    const after = await objects()
    const stray: (readonly string[])[] = []
    let demanded = 0
    for (let i = 0; i < PAGES; i++) {
      await sleep(1_000)
      const samples = await metrics()
      const demand = demandIn(samples)
      demanded = Math.max(demanded, demand.get('batch')?.smoothed ?? 0)
      stray.push(
        strayLimits(samples, seatImpact({ before, after, serverLimit: SEATS, version: cluster().version, demand })),
      )
    }
    // A page that is read during a recomputation mixes two of them; the next one cannot.
    expect(stray.filter((names, i) => names.length > 0 && (stray[i - 1]?.length ?? 0) > 0)).toEqual([])
    expect(stray.filter((names) => names.length > 0).length).toBeLessThanOrEqual(3)
    expect(demanded).toBeGreaterThan(100)
    expect(total(await metrics(), 'current_limit_seats', { priority_level: 'batch' })).toBeGreaterThan(
      predicted['batch']?.[0] ?? Infinity,
    )

    await page.goto(`${new URL(page.url()).origin}/#/level/batch`)
    await expect
      .poll(() => page.locator('main header').first().innerText(), SOON)
      .toMatch(new RegExp(`nominal\\s*${predicted['batch']?.[0] ?? ''}\\b`))

    await editor.openJournal()
    const entry = page.getByRole('row', { name: /room for batch/ })
    expect(await entry.innerText()).toContain(VIEWER)
    await editor.button('Undo 2 objects').click()
    await editor.dialog.getByRole('button', { name: /^Undo 2 objects on cut / }).click()
    // Of both: the entry counts them while they differ.
    await expect.poll(() => entry.innerText(), SOON).toMatch(/(?<!\d )undone/)
    expect([await stored('batch'), await stored('workload-low')]).toEqual([batchBefore, lowBefore])
    await untilReported(present)
  })

  it('shows base, yours and theirs when somebody else was faster, and loses neither', async () => {
    await editor.openLevel('batch')
    await editor.type({ Shares: '60', Lendable: '30' })
    await editor.button(/^Apply 1 object/).click()
    await editor.dialog.waitFor()
    await applyAs('kubectl', batch(80, { borrowingLimitPercent: 40 }))
    // An outdated confirmation is no longer possible.
    await editor.dialog.waitFor({ state: 'hidden' })
    const conflict = editor.pane('Conflict')
    await editor.untilSaid('Conflict', /^batch was changed by (apf-console or )?kubectl .* ago\./)
    const rows = (await conflict.getByRole('row').allInnerTexts()).map((text) => text.split(/\s+/).join(' ').trim())
    expect(rows.filter((text) => /^\d|^none/.test(text))).toEqual(['20 60 80', '50 30 50', 'none none 40'])
    await conflict.getByRole('radio', { name: 'Server' }).click()
    await editor.button('Merge and check again').click()
    await conflict.waitFor({ state: 'hidden' })
    expect(await Promise.all(['Shares', 'Lendable', 'Borrowing limit'].map((name) => editor.value(name)))).toEqual([
      '80',
      '30',
      '40',
    ])
    // Repeated by the user, and not by itself.
    await sleep(1_000)
    expect(await editor.dialog.count()).toBe(0)
    await editor.apply('merged')
    await editor.takeOver('merged')
    await editor.untilSaid('Applied', 'batch is applied')
    expect(await limitedOf('batch')).toMatchObject({
      nominalConcurrencyShares: 80,
      lendablePercent: 30,
      borrowingLimitPercent: 40,
    })
  })

  it('keeps the draft when the connection is lost while it applies, and shows the server as it is', async () => {
    await editor.openLevel('batch')
    await editor.type({ Lendable: '35' })
    cutter.setFault('lost-before')
    await editor.apply('lost')
    await editor.untilSaid('Not applied', /batch was not confirmed by the server\.[^]*is as it was before/)
    await editor.untilEdited('batch', true)
    expect(await editor.value('Lendable')).toBe('35')
    await editor.untilSaid('Diff of the draft', /lendablePercent: 30[^]*lendablePercent: 35/)
    expect(await limitedOf('batch')).toMatchObject({ lendablePercent: 30 })

    cutter.setDown(true)
    await editor.untilStep(/The server does not respond/)
    expect(await editor.button(/^Apply 1 object/).isDisabled()).toBe(true)
    expect(await editor.value('Lendable')).toBe('35')
    await applyAs('elsewhere', batch(80, { lendablePercent: 30, borrowingLimitPercent: 90 }))
    cutter.setDown(false)
    // Changes during the lost connection are shown, too.
    await expect.poll(() => editor.pane('Conflict').count(), { timeout: 60_000 }).toBe(1)
    await editor.button('Merge and check again').click()
    expect(await editor.value('Borrowing limit')).toBe('90')

    cutter.setFault('lost-after')
    await editor.apply('lost')
    await editor.takeOver('lost')
    await editor.untilSaid('Applied', /batch is applied\.[^]*response of the server was lost/)
    await editor.untilEdited('batch', false)
    await expect.poll(() => editor.value('Lendable'), SOON).toBe('35')
    expect(await limitedOf('batch')).toMatchObject({ lendablePercent: 35, borrowingLimitPercent: 90 })
  })

  it('shows the words of a server that rejects what no rule of ours forbids, and keeps the draft', async () => {
    for (const [resource, object] of Object.entries(POLICY)) {
      const group = 'admissionregistration.k8s.io/v1'
      const body = JSON.stringify({ apiVersion: group, ...object })
      const made = await cluster().call(`/apis/${group}/${resource}`, ADMIN, { method: 'POST', body })
      expect(made).toMatchObject({ status: 201 })
    }
    await expect.poll(() => tried(ADMIN, batch(MOST_SHARES + 1)), SOON).toBe(422)

    await editor.openLevel('batch')
    await editor.type({ Shares: String(MOST_SHARES + 1) })
    await editor.button('Dry run').click()
    await editor.untilSaid('Dry run', 'batch would be rejected by the server.')
    await editor.untilSaid('Dry run', POLICY_SAYS)
    expect(await editor.button(/^Apply 1 object/).isDisabled()).toBe(true)
    await editor.type({ Shares: String(MOST_SHARES + 2) })
    await editor.apply('too much')
    await editor.untilSaid('Not applied', 'batch was rejected by the server and not changed.')
    await editor.untilSaid('Not applied', POLICY_SAYS)
    await editor.untilEdited('batch', true)
    await page.reload()
    await editor.untilEdited('batch', true)
    expect(await editor.value('Shares')).toBe(String(MOST_SHARES + 2))
    expect(await limitedOf('batch')).toMatchObject({ nominalConcurrencyShares: 80 })
    await editor.type({ Shares: String(MOST_SHARES) })
    await editor.apply('as much as may be')
    await editor.takeOver('as much as may be')
    await editor.untilSaid('Applied', 'batch is applied')
    expect(complaints).toEqual([])
  })
})

/** What the page has copied, pasted elsewhere: the console itself may not read the clipboard. */
async function pasted(page: Page): Promise<string> {
  const elsewhere = await page.context().newPage()
  await elsewhere.setContent('<textarea></textarea>')
  const text = elsewhere.locator('textarea')
  await text.press('Control+v')
  const found = await text.inputValue()
  await elsewhere.close()
  return found
}
