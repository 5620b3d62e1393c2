import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { runCommand, startCommand } from '../harness/command.ts'
import { alertChanges } from './alertChanges.ts'
import { conditionsHeld, type Held } from './alertTruth.ts'
import { ADMIN, CRAWLER, OPERATOR, WRITER } from './identities.ts'
import { patient, runLoad, type LoadClient } from './load.ts'
import { loadTruth, type LevelTruth } from './loadTruth.ts'
import { mutating, predictable, saturating, seed, trickle, watching, write } from './profiles.ts'
import { startRecordingRelay } from './recordingRelay.ts'
import { auditFolderIn, writesLogs } from './serverLogs.ts'
import { noCluster, useCluster } from './suite.ts'

/** Of quiet before the load, and of the load; most rules of the console need no more than two minutes. */
const CALM_SECONDS = 22
const LOAD_SECONDS = Number(process.env['APF_VERDICT_SECONDS'] ?? 145)
/** Names, with commas between them; all without. */
const CHOSEN = process.env['APF_VERDICT_PROFILES']?.split(',')
/** The last seconds of the load, for which the logs are read. */
const LOOKED_AT_SECONDS = 60
/**
 * Samples of the console and pages of the truth lie this far apart, so that a condition that held barely long enough
 * may go either way.
 */
const SLACK_SECONDS = 12

const [SMALL, LARGE] = [
  { maxInflight: 20, maxMutatingInflight: 10 },
  { maxInflight: 80, maxMutatingInflight: 40 },
]

interface Profile {
  readonly name: string
  readonly seats: typeof SMALL
  readonly load: readonly LoadClient[]
  /** What makes requests slow, from what the clients do, and the level in which they are. */
  readonly cause: string
  readonly level?: string
  /** The alerts of the first minutes, from what the clients do. */
  readonly fires: readonly string[]
  /** Alerts that are as likely as not. */
  readonly mayFire?: readonly string[]
  /** What the server's logs must show for the cause to be the true one. */
  readonly isTrue?: (levels: ReadonlyMap<string, LevelTruth>) => boolean
}

const floods = (level: string, user: string) => (levels: ReadonlyMap<string, LevelTruth>) => {
  const { busiest, part = 0 } = levels.get(level) ?? {}
  return busiest === user && part >= 0.5
}

const ALL: readonly Profile[] = [
  { name: 'trickle', seats: SMALL, load: trickle, cause: 'nothing-waits', fires: [] },
  {
    // 430 workers of two accounts for about 20 seats; a rejected one is back after a second.
    name: 'saturating',
    seats: SMALL,
    load: saturating,
    cause: 'one-flow',
    level: 'workload-low',
    fires: ['R1 workload-low queue-full'],
    isTrue: floods('workload-low', CRAWLER),
  },
  {
    // The same, and 60 requests of 2.5 s in a critical level of 5 seats of its own.
    name: 'critical',
    seats: SMALL,
    load: [...saturating, { workers: 60, plan: write(OPERATOR, 2_500) }],
    cause: 'one-flow',
    level: 'workload-low',
    fires: ['R1 workload-low queue-full', 'R3 workload-high'],
    isTrue: floods('workload-low', CRAWLER),
  },
  {
    // Nothing is rejected. Requests of a critical level wait for more than a second in 12 s of every 40 s, and the p99
    // is that of 30 s: it falls below a second for a moment between two waves, or not.
    name: 'waves',
    seats: LARGE,
    load: predictable.waves(LOAD_SECONDS),
    cause: 'one-flow',
    fires: [],
    mayFire: ['R3 workload-high'],
  },
  {
    name: 'mixed',
    seats: LARGE,
    load: predictable.mixed(),
    cause: 'one-flow',
    level: 'workload-low',
    fires: [],
    isTrue: floods('workload-low', CRAWLER),
  },
  {
    // 150 requests of one account are fewer than its six queues hold: they wait, and none is rejected.
    name: 'elephants-and-mice',
    seats: LARGE,
    load: predictable['elephants-and-mice'](),
    cause: 'one-flow',
    level: 'workload-low',
    fires: [],
    isTrue: floods('workload-low', CRAWLER),
  },
  {
    // Six lists at a time beside 90 writes of one account: the writes are the overload.
    name: 'list-storm',
    seats: LARGE,
    load: predictable['list-storm'](),
    cause: 'one-flow',
    level: 'workload-low',
    fires: [],
    isTrue: floods('workload-low', WRITER),
  },
  {
    name: 'mutate-storm',
    seats: SMALL,
    load: mutating,
    cause: 'write-fan-out',
    level: 'workload-low',
    fires: [],
  },
  {
    // Members of system:masters, whom nothing limits. R10 needs ten minutes of it (APF_VERDICT_SECONDS=660).
    name: 'administrators',
    seats: SMALL,
    load: [{ workers: 12, plan: write(ADMIN, 2_500) }],
    cause: 'nothing-waits',
    fires: LOAD_SECONDS > 600 + SLACK_SECONDS ? ['R10'] : [],
  },
  {
    name: 'watch-storm',
    seats: SMALL,
    load: watching,
    cause: 'watch-storm',
    level: 'global-default',
    fires: [],
  },
]
const PROFILES = ALL.filter(({ name }) => CHOSEN?.includes(name) ?? true)

const AnswerSchema = z.looseObject({
  summary: z.string(),
  findings: z.array(
    z.looseObject({ cause: z.string(), place: z.looseObject({ level: z.string().optional() }), text: z.string() }),
  ),
})
interface Verdict {
  readonly profile: Profile
  readonly causes: readonly string[]
  readonly fired: readonly string[]
  readonly pending: readonly string[]
}

/** Causes made against causes named, a profile a row, with the alerts. */
function tableOf(verdicts: readonly Verdict[]): string {
  const rows = verdicts.map(({ profile, causes: [first = '', ...others], fired, pending }) => [
    profile.name,
    profile.cause,
    first,
    others.join(', '),
    profile.fires.join(', '),
    fired.join(', '),
    pending.join(', '),
  ])
  const head = [
    'profile',
    'cause shown',
    'said first',
    'also said',
    'alerts expected',
    'alerts fired',
    'not for long enough',
  ]
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

const verdicts: Verdict[] = []
afterAll(() => console.info(tableOf(verdicts)))

describe.skipIf(noCluster).each(PROFILES)('under $name', (profile) => {
  let serverFolder = ''
  let folder = ''
  let held: readonly Held[] = []
  let fired: readonly string[] = []
  let answer: z.infer<typeof AnswerSchema> = { summary: '', findings: [] }
  let truth: readonly LevelTruth[] = []
  const cluster = useCluster({
    ...profile.seats,
    apiserverArguments(own) {
      serverFolder = own
      return writesLogs(own)
    },
  })

  beforeAll(async () => {
    folder = process.env['APF_VERDICT_FOLDER'] ?? (await mkdtemp(join(tmpdir(), 'apf-verdicts-')))
    vi.stubEnv('APF_CONSOLE_STATE', join(folder, `state-${profile.name}`))
    await seed(cluster())
    // Under a load that fills the level of ordinary users a reader is one of those that wait.
    const relay = await startRecordingRelay(cluster(), ADMIN)
    const kubeconfig = join(folder, `kubeconfig-${profile.name}`)
    await relay.writeKubeconfig(kubeconfig)
    const recording = join(folder, `${profile.name}.apfrec`)
    const recorder = startCommand('record', recording, '--kubeconfig', kubeconfig)
    const watch = startCommand('watch', '--alert', '--interval', '2', '--kubeconfig', kubeconfig)
    try {
      const calm = new AbortController()
      void runLoad(cluster(), trickle, 900, calm.signal)
      await sleep(CALM_SECONDS * 1_000)
      const load = await runLoad(cluster(), patient(profile.load), LOAD_SECONDS)
      const to = Date.now()
      calm.abort()
      recorder.interrupt()
      watch.interrupt()
      await Promise.all([recorder.ended, watch.ended])
      held = conditionsHeld(relay.pages.filter(({ at }) => at < to))
      truth = await loadTruth(auditFolderIn(serverFolder), cluster().apiserverLog, {
        from: to - LOOKED_AT_SECONDS * 1_000,
        to,
      })
      const at = new Date(to - 1_000).toISOString()
      const { output, told } = await runCommand('diagnose', '--recording', recording, '--at', at, '--json')
      if (output === '') throw new Error(told)
      answer = AnswerSchema.parse(JSON.parse(output))
      fired = [
        ...new Set(
          alertChanges(watch.output()).map(({ rule, level, subject }) =>
            [rule, level, subject].filter(Boolean).join(' '),
          ),
        ),
      ]
      console.info(
        [
          `${profile.name}: answers ${JSON.stringify([...load])}`,
          ...truth.map(
            ({ level, underWay, busiest, part, users, answers }) =>
              `  ${level}: ${underWay.toFixed(1)} under way, ${Math.round(100 * part)} % of ${busiest}, ${users} users, ${JSON.stringify(answers)}`,
          ),
          ...held.map(
            ({ alert, heldSeconds, holdSeconds, toTheEnd }) =>
              `  ${alert}: held for ${Math.round(heldSeconds)} of ${holdSeconds} s${toTheEnd ? ', to the end' : ''}`,
          ),
          `  console: ${fired.join(', ') || 'no alert'}; ${answer.summary}`,
        ].join('\n'),
      )
    } finally {
      recorder.interrupt()
      watch.interrupt()
      await relay.close()
    }
    const causes = [...new Set(answer.findings.map(({ cause }) => cause))]
    const pending = held.filter(({ alert, toTheEnd }) => toTheEnd && !fired.includes(alert)).map(({ alert }) => alert)
    verdicts.push({ profile, causes, fired, pending })
  })
  afterAll(async () => {
    vi.unstubAllEnvs()
    if (process.env['APF_VERDICT_FOLDER'] === undefined) await rm(folder, { recursive: true, force: true })
  })

  it('fires the alerts whose conditions the pages of the server show for long enough, and no others', () => {
    const barely = ({ heldSeconds, holdSeconds }: Held): boolean => Math.abs(heldSeconds - holdSeconds) <= SLACK_SECONDS
    const due = held.filter((one) => one.heldSeconds >= one.holdSeconds && !barely(one)).map(({ alert }) => alert)
    const open = held.filter(barely).map(({ alert }) => alert)
    expect(fired.filter((alert) => !open.includes(alert)).toSorted()).toEqual(due.toSorted())
  })

  it('fires the alerts that follow from what the clients do', () => {
    expect(fired).toEqual(expect.arrayContaining([...profile.fires]))
    const others = fired.filter((alert) => profile.mayFire?.includes(alert) !== true)
    if (profile.fires.length === 0) expect(others).toEqual([])
  })

  it('names the cause that is in the load', () => {
    expect(profile.isTrue?.(new Map(truth.map((one) => [one.level, one]))) ?? true, 'by the logs of the server').toBe(
      true,
    )
    const [first] = answer.findings
    expect(first?.cause, answer.summary).toBe(profile.cause)
    if (profile.level !== undefined) expect(first?.place.level).toBe(profile.level)
  })
})
