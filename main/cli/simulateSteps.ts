import { plain } from '../../core/text/format.ts'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import type { EngineEvent } from '../../core/engine/events.ts'
import { type Playback, type PlaybackCheckpoint, playbackOf } from '../../core/scenario/playback.ts'
import type { Scenario } from '../../core/scenario/scenario.ts'
import { WITHOUT_LEVELS } from '../../core/frame/reading.ts'
import { STRIDES } from '../../core/bounds.ts'
import { NOT_THERE, queuesBeside, requestsBeside, standingText } from '../../core/run/beside.ts'
import { dumpFrame } from '../../core/simulate/serverFrame.ts'
import { eventText } from '../../core/run/eventText.ts'
import { Timeline } from '../../core/run/timeline.ts'
import { nearest } from '../../core/text/text.ts'
import { nsToSeconds, secondsToNs } from '../../core/units.ts'
import type { Console, ExitCode } from './console.ts'
import { textTable } from './print/terminal.ts'
import { UsageError } from './usage.ts'

/** One variant of a scenario at an instant. */
interface Shown {
  readonly name: string
  readonly run: Playback
  readonly timeline: Timeline<PlaybackCheckpoint>
}

const HELP = [
  'event [N], decision [N], second [N], recomputation [N]   go on; a decision is a dispatch or a rejection',
  'back [N]      go back by N events',
  'at SECONDS    go to an instant, forwards or back',
  'level NAME    the queues and requests of a level in two variants side by side; ≠ marks differences',
  'quit          quit (also at the end of the input)',
  'The first letter is enough; an empty line repeats the last command.',
]
const COMMANDS = [...STRIDES, 'back', 'at', 'level', 'help', 'quit'] as const
const MOST_STRIDES = 1_000_000

/**
 * Lets the operator step through a run: commands from standard input, one per line, with the state after each of them.
 * The first variant leads; the others are shown at the same instant.
 */
export async function stepThrough(scenario: Scenario, names: readonly string[], console: Console): Promise<ExitCode> {
  const shown = variantsNamed(scenario, names).map((variant): Shown => {
    const run = playbackOf(scenario, variant)
    return { name: variant.name, run, timeline: new Timeline(run, { endNs: secondsToNs(scenario.seconds) }) }
  })
  const [lead] = shown
  if (lead === undefined) throw new UsageError('The scenario has no variants.')
  console.print([
    `${scenario.name}: ${scenario.title}`,
    `${scenario.seconds} s, seed ${scenario.seed}.`,
    ...HELP,
    ...stateText(shown, console),
  ])
  let latest = 'event'
  for await (const line of createInterface({
    input: Readable.from(console.stdin()),
    crlfDelay: Number.POSITIVE_INFINITY,
  })) {
    const text = line.trim() === '' ? latest : line.trim()
    const [word = '', operand] = text.split(/\s+/)
    const command = COMMANDS.find((one) => one === word || one[0] === word)
    if (command === 'quit') break
    const done =
      command === undefined
        ? { instead: unknown(word) }
        : command === 'level'
          ? { instead: besideText(operand, shown) }
          : carryOut(command, operand, lead, console)
    if (done.instead !== undefined) {
      console.print(done.instead)
      continue
    }
    latest = text
    console.print(stateText(shown, console, done.event))
  }
  return 0
}

function variantsNamed({ variants }: Scenario, names: readonly string[]): Scenario['variants'] {
  if (names.length === 0) return variants.slice(-1)
  return names.map((name) => {
    const found = variants.find((variant) => variant.name === name)
    if (found !== undefined) return found
    const known = variants.map((variant) => variant.name)
    throw new UsageError(
      `There is no variant ${JSON.stringify(name)}; did you mean ${nearest(name, known) ?? known.join(' or ')}?`,
    )
  })
}

const unknown = (word: string): readonly string[] => [`There is no command ${JSON.stringify(word)}:`, ...HELP]

/** What to print instead of the state, or what happened last. */
interface Done {
  readonly instead?: readonly string[]
  readonly event?: string
}

function carryOut(
  command: Exclude<(typeof COMMANDS)[number], 'quit' | 'level'>,
  operand: string | undefined,
  { timeline, run }: Shown,
  console: Console,
): Done {
  if (command === 'help') return { instead: HELP }
  const number = operand === undefined ? undefined : Number(operand)
  if (command === 'at') {
    if (number === undefined || !(number >= 0)) return { instead: ['at takes seconds since the start: at 12.5'] }
    timeline.seek(Math.round(secondsToNs(number)), () => !console.signal.aborted)
    return {}
  }
  const times = number ?? 1
  if (!Number.isInteger(times) || times < 1 || times > MOST_STRIDES) {
    return { instead: [`${command} takes a whole number from 1 to ${MOST_STRIDES}.`] }
  }
  if (command === 'back') {
    timeline.toEvent(timeline.events - times)
    return {}
  }
  let event: EngineEvent<unknown> | undefined
  const leave = timeline.watch((one) => (event = one))
  let done = 0
  while (done < times && !console.signal.aborted && timeline.forward(command)) done += 1
  leave()
  if (done === 0) return { instead: ['The run is at its end.'] }
  return event === undefined ? {} : { event: eventText(event, run.engine.mode) }
}

/** Advances the other variants to the instant of the first. */
function stateText(
  [lead, ...others]: readonly Shown[],
  { signal }: Pick<Console, 'signal'>,
  event?: string,
): readonly string[] {
  if (lead === undefined) return []
  for (const { timeline } of others) timeline.seek(lead.timeline.nowNs, () => !signal.aborted)
  const isOne = others.length === 0
  return [lead, ...others].flatMap(({ name, run, timeline }) => [
    '',
    `${isOne ? '' : `${name}: `}${plain.fixed(nsToSeconds(timeline.nowNs), 9)} s, event ${timeline.events}`,
    ...(timeline === lead.timeline && event !== undefined ? [event] : []),
    ...levelRows(run),
  ])
}

const MOST_BESIDE = 40

/** The requests of a level in the first two variants, which are at the same instant. */
function besideText(level: string | undefined, [a, b]: readonly Shown[]): readonly string[] {
  if (a === undefined || b === undefined) return ['level takes two variants: --variant A --variant B.']
  const [left, right] = [dumpFrame(a.name, a.run.engine), dumpFrame(b.name, b.run.engine)]
  const known = [...new Set([left, right].flatMap(({ levels = [] }) => levels.map(({ name }) => name)))]
  if (known.length === 0) return [WITHOUT_LEVELS]
  if (level === undefined || !known.includes(level)) return [`level takes one of ${known.toSorted().join(', ')}.`]
  const queues = queuesBeside(left, right, level)
  const rows = requestsBeside(left, right, level, a.run.startUnixMs)
  const differing = rows.filter(({ differs }) => differs).length
  const load = ({ waiting, executing }: { readonly waiting: number; readonly executing: number }): string =>
    `${waiting} wait, ${executing} execute`
  const queueCells = queues.map((queue) => [mark(queue), String(queue.index), load(queue.a), load(queue.b)])
  const cells = rows
    .slice(0, MOST_BESIDE)
    .map((row) => [
      mark(row),
      `${plain.fixed(row.arrivedSeconds, 6)} s`,
      standingText(row.a),
      standingText(row.b),
      row.request,
    ])
  return [
    `${plain.fixed(nsToSeconds(a.timeline.nowNs), 9)} s, ${level}: ${queues.filter(({ differs }) => differs).length} of ${queues.length} queues with requests and ${differing} of ${rows.length} requests differ between ${a.name} and ${b.name}.`,
    ...(queues.length === 0
      ? []
      : textTable([['', 'QUEUE', a.name, b.name], ...queueCells], ['left', 'right', 'left'])),
    ...(rows.length === 0
      ? []
      : textTable([['', 'ARRIVED', a.name, b.name, 'REQUEST'], ...cells], ['left', 'right', 'left'])),
    ...(rows.length > MOST_BESIDE ? [`${rows.length - MOST_BESIDE} more.`] : []),
    NOT_THERE,
  ]
}

const mark = ({ differs }: { readonly differs: boolean }): string => (differs ? '≠' : '')

const HEAD = ['LEVEL', 'NOMINAL', 'LIMIT', 'SEATS', 'EXECUTING', 'WAITING', 'R', 'DISPATCHED', 'REJECTED']

function levelRows({ engine }: Playback): readonly string[] {
  const rows = engine.snapshot().levels.map((level) => {
    const dispatched = level.lanes.reduce((sum, lane) => sum + lane.dispatched, 0)
    const rejected = level.lanes.reduce((sum, lane) => sum + Object.values(lane.rejected).reduce((a, b) => a + b, 0), 0)
    const counts = [
      level.limits.nominal,
      level.current,
      level.seatsInUse,
      level.executingRequests,
      level.waitingRequests,
    ]
    return [
      level.name,
      ...counts.map(String),
      `${plain.seatSeconds(level.virtualTime.currentR)} ss`,
      String(dispatched),
      String(rejected),
    ]
  })
  if (rows.length === 0) return [WITHOUT_LEVELS]
  return textTable([HEAD, ...rows], ['left', 'right'])
}
