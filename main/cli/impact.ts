import { sentenceText } from '../../core/answer/answer.ts'
import { allocationSentence, presentImpact } from '../../core/impact/present.ts'
import { plain } from '../../core/text/format.ts'
import { changesBetween, confirmationsFor, type Confirmation } from '../../core/guard/changes.ts'
import { guardRails } from '../../core/guard/guardRails.ts'
import { demandOf, type LevelSeats, type LimitNow } from '../../core/impact/effectiveLevels.ts'
import { seatImpact, type SeatImpact } from '../../core/impact/seatImpact.ts'
import { serverLimitOf, type ServerLimit } from '../../core/impact/serverLimit.ts'
import { guardText, type GuardFinding, type GuardSeverity } from '../../core/guard/finding.ts'
import type { RequestTest } from '../../core/contract/objects.ts'
import type { ServerFrame } from '../../core/frame/frame.ts'
import type { Console, ExitCode } from './console.ts'
import { texts } from './options.ts'
import type { Said } from './print/terminal.ts'
import { cadenceFrom, OWN_OBJECTS, SOURCE_OPTIONS, sourceFrom } from './sourceOptions.ts'
import { checkNamesEdit, EDIT_OPTIONS, editFrom, rejects, type GivenEdit } from './edit.ts'
import { OUTPUT_OPTIONS, readNumber, readOutput, SEATS, type Command, type Given } from './usage.ts'
import { findingJson } from './validate.ts'
import { testsFrom } from './classifyRequests.ts'
import { isOfLogs, readFrame, type ReadFrame } from './snapshot.ts'

/** Shows what an edit does to every level. 1 when a guard rail blocks it or a server would reject it. */
export const impact: Command = {
  options: {
    ...EDIT_OPTIONS,
    ...texts('server-limit', 'new-server-limit', 'test'),
    ...SOURCE_OPTIONS,
    ...OUTPUT_OPTIONS,
  },
  run: runImpact,
}

async function runImpact(given: Given, console: Console): Promise<ExitCode> {
  const form = readOutput(given, ['markdown'])
  const wanted = readNumber(given, 'server-limit', SEATS)
  const newServerLimit = readNumber(given, 'new-server-limit', SEATS)
  if (newServerLimit === undefined) checkNamesEdit(given, 'impact')
  const input = await impactInput(given, console)
  if (input === undefined) return 2
  for (const sentence of [...input.notes, ...input.problems]) console.tell(sentence)
  const { name, version, errors } = input
  if (rejects(errors, console)) {
    if (form === 'json') console.printJson({ configuration: { name, version }, errors: errors.map(findingJson) }, 2)
    return 1
  }
  const answer = answerOf(input, { wanted, newServerLimit })
  console.answer(form, impactJson(answer), saidOf(answer))
  const blocked = answer.findings.some(({ severity }) => severity === 'blocks')
  return blocked || input.problems.length > 0 ? 1 : 0
}

/** Seats of a server as the options name them, now and after a restart. */
interface NamedSeats {
  readonly wanted: number | undefined
  readonly newServerLimit: number | undefined
}

function answerOf(input: ImpactInput, named: NamedSeats): ImpactAnswer {
  const { before, after, version, servers, tests, origin } = input
  const { wanted, newServerLimit } = named
  const measured = servers.map((one) => {
    const { seats: serverLimit, from } = serverLimitOf({ own: wanted, server: one, objects: before })
    const question = { before, after, serverLimit, newServerLimit, version, demand: demandOf(one) }
    return { id: one.id, limitFrom: from, computed: seatImpact(question) }
  })
  const [first] = measured
  const { computed: chosen, limitFrom } = first ?? withoutServer(input, named)
  const { serverLimit } = chosen
  const context = { version, serverLimit: newServerLimit ?? serverLimit, origin, servers, tests }
  return {
    ...input,
    limitFrom,
    computed: chosen,
    perServer: measured,
    findings: guardRails({ before, after, context }),
    confirmations: confirmationsFor(changesBetween(before, after), { version, servers }),
  }
}

function withoutServer({ before, after, version }: ImpactInput, { wanted, newServerLimit }: NamedSeats) {
  const { seats: serverLimit, from } = serverLimitOf({ own: wanted })
  return { limitFrom: from, computed: seatImpact({ before, after, serverLimit, newServerLimit, version }) }
}

interface ImpactAnswer extends Pick<ImpactInput, 'name' | 'version'> {
  /** Where the server limit comes from. */
  readonly limitFrom: ServerLimit['from']
  /** With that limit; for live servers, that of the first. */
  readonly computed: SeatImpact
  readonly perServer: readonly { readonly id: string; readonly computed: SeatImpact }[]
  readonly findings: readonly GuardFinding[]
  readonly confirmations: readonly Confirmation[]
}

/** The JSON of docs/impact.md. Members are added over time, never removed. */
function impactJson({ name, version, limitFrom, computed, perServer, findings, confirmations }: ImpactAnswer): unknown {
  const { serverLimit, newServerLimit, sums, refused } = computed
  return {
    serverLimit,
    ...(newServerLimit !== undefined && { newServerLimit }),
    serverLimitFrom: LIMIT_FROM[limitFrom].word,
    configuration: { name, version },
    ...tableJson(computed),
    sums,
    refused,
    guardRails: findings,
    confirmations,
    errors: [],
    ...(perServer.length > 0 && {
      servers: perServer.map(({ id, computed: own }) => ({ id, serverLimit: own.serverLimit, ...tableJson(own) })),
    }),
  }
}

const tableJson = ({ rows, allocation }: SeatImpact) => ({
  levels: rows.map(({ name, change, before, after, limitBefore, limitAfter, assumedIdle }) => ({
    name,
    change,
    ...(assumedIdle && { assumedIdle }),
    before: seatsJson(before, limitBefore),
    after: seatsJson(after, limitAfter),
  })),
  ...(allocation && { allocation }),
})

function seatsJson(seats: LevelSeats | null, limit: LimitNow | undefined) {
  if (seats === null) return null
  const { type, shares, nominal, lower, upper, maxSeatsPerRequest, widestRequest, queues } = seats
  return {
    type,
    shares,
    nominal,
    lower,
    upper,
    maxSeatsPerRequest,
    widestRequest,
    queueCapacity: queues ?? null,
    ...(limit && { limitNow: limit.current }),
  }
}

const MARKS: Readonly<Record<GuardSeverity, string>> = { blocks: '✗', warns: '!', expected: 'i', passes: '✓' }

/** `nominal-limits`: the most seats with which the configuration has the nominal limits that the server reports. */
const LIMIT_FROM: Readonly<Record<ServerLimit['from'], { readonly word: string; readonly text: string }>> = {
  own: { word: 'option', text: 'as given' },
  configured: { word: 'option', text: 'as given' },
  reported: { word: 'server', text: 'as the server reports' },
  inferred: { word: 'nominal-limits', text: 'as its nominal limits suggest' },
  assumed: { word: 'default', text: 'by default; --server-limit sets another' },
}

function saidOf({ computed, perServer, findings, confirmations, name, limitFrom }: ImpactAnswer): Said {
  return [
    `Edit of ${name}, on a server of ${computed.serverLimit} seats (${LIMIT_FROM[limitFrom].text})`,
    '',
    ...tableOf(computed),
    ...perServer.slice(1).flatMap(({ id, computed: own }) => ['', `${id}: ${own.serverLimit} seats`, ...tableOf(own)]),
    '',
    'Guard rails',
    ...findings.flatMap(findingText),
    ...(confirmations.length === 0
      ? []
      : [
          '',
          'Requires typing its name',
          ...confirmations.map((one) => `  ${one.kind} ${one.name}: ${one.reasons.join(' ')}`),
        ]),
  ]
}

const tableOf = (computed: SeatImpact): Said => [
  presentImpact(computed),
  ...(computed.allocation === undefined ? [] : [sentenceText(allocationSentence(computed.allocation), plain)]),
]

function findingText(finding: GuardFinding): readonly string[] {
  const { severity, remedy } = finding
  return [
    `  ${MARKS[severity]} ${guardText(finding)}`,
    ...(remedy && severity !== 'passes' ? [`      ${remedy.sentence}`] : []),
  ]
}

/** The edit, and the data of its servers. */
interface ImpactInput extends GivenEdit {
  /** Live servers, by id; empty without a source. */
  readonly servers: readonly ServerFrame[]
  readonly tests: readonly RequestTest[]
  /** Sentences about data that could not be read. */
  readonly problems: readonly string[]
}

const SECONDS = 30

/** `undefined` when the command is to end. Rejects with `ProblemError` or `UsageError`. */
async function impactInput(given: Given, console: Console): Promise<ImpactInput | undefined> {
  const live = await liveServers(given, console)
  if (live === undefined) return undefined
  const { servers, problems, source } = live
  const edit = await editFrom(given, console, { reported: servers[0]?.version, source })
  const table = given.value('test')
  return {
    ...edit,
    servers,
    tests: table === undefined ? [] : await testsFrom(table, console),
    problems,
  }
}

/** Reads demand if a source is given; a failure is reported and does not end the command. */
async function liveServers(
  given: Given,
  console: Console,
): Promise<(Pick<ImpactInput, 'servers' | 'problems'> & { readonly source: ReadFrame | undefined }) | undefined> {
  const spec = await sourceFrom(given, false, console)
  if (spec === undefined) return { servers: [], problems: [], source: undefined }
  const hasObjects = OWN_OBJECTS.has(spec.kind)
  const read = await readFrame(console, spec, cadenceFrom(given, false), SECONDS, hasObjects)
  if (read === undefined) return undefined
  // What an engine makes of logs is no server: its seats are those of a default.
  return {
    servers: read.findings.some(isOfLogs) ? [] : (read.frame?.servers ?? []),
    problems: read.findings.filter((one) => !isOfLogs(one)),
    source: hasObjects ? read : undefined,
  }
}
