import { stringify } from 'yaml'
import { ProblemError } from '../../core/errors.ts'
import { serverLimitOf } from '../../core/impact/serverLimit.ts'
import { flowsOf } from '../../core/twin/flows.ts'
import { fitTwin } from '../../core/twin/fit.ts'
import type { Twin } from '../../core/twin/twin.ts'
import { forecast as forecastOf } from '../../core/twin/forecast.ts'
import { twinHistory } from '../../core/twin/history.ts'
import { SHORTEST_SPAN_SECONDS } from '../../core/twin/observe.ts'
import { presentForecast, presentEffect, scoreText } from '../../core/twin/present.ts'
import { defaultVariant } from '../../core/whatif/variant.ts'
import type { Console, ExitCode } from './console.ts'
import { texts } from './options.ts'
import { type Beside, checkNamesEdit, EDIT_OPTIONS, editFrom, rejects, type GivenEdit } from './edit.ts'
import { readPages } from './pastPages.ts'
import { defaultSource, OWN_OBJECTS, SOURCE_OPTIONS, sourceFrom } from './sourceOptions.ts'
import { type Command, type Given, OUTPUT_OPTIONS, readNumber, readOutput, SEATS, UsageError } from './usage.ts'
import { amount } from '../../core/answer/answer.ts'
import type { Effect, Score } from '../../core/contract/effect.ts'
import { judgedOf, scoreOf, type Judged } from '../../core/twin/judge.ts'
import { openStore } from '../store/store.ts'
import type { Said } from './print/terminal.ts'

/** Options of the commands that fit a twin. */
export const TWIN_OPTIONS = {
  ...SOURCE_OPTIONS,
  ...texts('seconds', 'of-server', 'server-limit'),
} as const

/** Waits, rejections, seats and limits of every level after an edit. 1 when a server would reject the edit. */
export const forecast: Command = {
  options: {
    ...TWIN_OPTIONS,
    ...EDIT_OPTIONS,
    ...OUTPUT_OPTIONS,
    'new-server-limit': { type: 'string' },
    kept: { type: 'boolean' },
  },
  run: (given, console) => (given.flag('kept') ? runKeptForecasts(given, console) : runForecast(given, console)),
}

const SECONDS = { min: SHORTEST_SPAN_SECONDS, max: 600 } as const
const DEFAULT_SECONDS = 120
/** A command has more time than a window. */
export const REQUESTS_OF_RUN = 40_000

async function runForecast(given: Given, console: Console): Promise<ExitCode> {
  const serverLimit = readNumber(given, 'new-server-limit', SEATS)
  if (serverLimit === undefined) checkNamesEdit(given, 'forecast')
  const output = readOutput(given, ['yaml', 'markdown'])
  const read = await readTwin(given, console, (beside) => editFrom(given, console, beside))
  if (typeof read === 'number') return read
  const { objects: edit, twin } = read
  const report = forecastOf(twin, edit.after, {
    ...(serverLimit !== undefined && { serverLimit }),
    mayGoOn: () => !console.signal.aborted,
  })
  if (report === undefined) return 2
  if (output === 'yaml') console.printText(stringify(report, { aliasDuplicateObjects: false }))
  else console.answer(output, report, [presentForecast(report)])
  return 0
}

interface ReadTwin<T> {
  readonly objects: T
  readonly twin: Twin
}

/**
 * The objects of a source as `objectsOf` returns them, and its twin; the exit code when the command is to end. Objects
 * that a server would reject are refused before the source is read, unless they are its own.
 */
export async function readTwin<T extends Pick<GivenEdit, 'before' | 'version' | 'errors' | 'notes'>>(
  given: Given,
  console: Console,
  objectsOf: (beside: Beside) => Promise<T>,
): Promise<ReadTwin<T> | ExitCode> {
  const seconds = readNumber(given, 'seconds', SECONDS) ?? DEFAULT_SECONDS
  const own = readNumber(given, 'server-limit', SEATS)
  const spec = (await sourceFrom(given, true, console)) ?? defaultSource(given, true)
  const withObjects = OWN_OBJECTS.has(spec.kind)
  const early = withObjects ? undefined : await objectsOf({ reported: undefined, source: undefined })
  if (early !== undefined && early.errors.length > 0 && refused(early, console)) return 1
  const pages = await readPages(given, console, { spec, seconds, server: given.value('of-server'), withObjects })
  if (pages === undefined) return 2
  const [server] = pages.frame?.servers ?? []
  const isSettled = early !== undefined && (server?.version === undefined || server.version === early.version)
  const source = withObjects ? pages : undefined
  const objects = isSettled ? early : await objectsOf({ reported: server?.version, source })
  for (const sentence of pages.findings) console.tell(sentence)
  if (refused(objects, console)) return 1
  const { before, version } = objects
  const { seats } = serverLimitOf({ own, spec, server, objects: before })
  const history = twinHistory(pages.frames, REQUESTS_OF_RUN)
  if (history === undefined) throw new ProblemError('not-found', `${TOO_SHORT} ${pages.findings.join(' ')}`.trimEnd())
  const twin = fitTwin(
    {
      history,
      flows: flowsOf(pages.dumps),
      variant: {
        ...defaultVariant('server', before),
        version,
        maxRequestsInFlight: seats,
        maxMutatingRequestsInFlight: 0,
      },
    },
    () => !console.signal.aborted,
  )
  return twin === undefined ? 2 : { objects, twin }
}

function refused({ notes, errors }: Pick<GivenEdit, 'notes' | 'errors'>, console: Console): boolean {
  for (const sentence of notes) console.tell(sentence)
  return rejects(errors, console)
}

const TOO_SHORT = `There are less than ${SHORTEST_SPAN_SECONDS} s of pages since the server last started and its limits last changed. Read the source for longer with --seconds, or name more pages of the same server.`

/** The forecasts of the edits that were applied to one target, and their outcomes. */
interface KeptForecasts {
  readonly target: string
  /** Absent before anything was measured. */
  readonly score?: Score
  /** The newest first. */
  readonly forecasts: readonly { readonly effect: Effect; readonly numbers: readonly Judged[] }[]
}

/** Prints the forecasts of applied edits next to the measurements, from the state folder; contacts nothing. */
async function runKeptForecasts(given: Given, console: Console): Promise<ExitCode> {
  const output = readOutput(given, ['markdown'])
  if (given.values('edit').length > 0)
    throw new UsageError('--kept prints earlier forecasts, so --edit does not go with it.')
  const store = openStore(console.stateDir)
  try {
    const targets = await Promise.all(
      (await store.effects.targets()).map(async (target) => keptOf(target, await store.effects.read(target))),
    )
    const kept = targets.filter(({ forecasts }) => forecasts.length > 0)
    console.answer(output, kept, kept.length === 0 ? [NONE] : kept.flatMap(saidOf))
  } finally {
    store.close()
  }
  return 0
}

const NONE = 'No applied edit had a forecast yet. The Editor keeps the forecast of each edit.'

function keptOf(target: string, effects: readonly Effect[]): KeptForecasts {
  const score = scoreOf(effects)
  const forecasts = effects
    .filter((effect) => effect.forecast !== undefined)
    .map((effect) => ({ effect, numbers: judgedOf(effect) }))
  return { target, ...(score && { score }), forecasts }
}

const saidOf = ({ target, score, forecasts }: KeptForecasts): Said => [
  `${target}: ${score === undefined ? 'no measurement is long enough yet.' : `${scoreText(score)}.`}`,
  ...forecasts.flatMap(({ effect }) => [
    '',
    {
      ...presentEffect(effect, null),
      title: [amount('instant')(effect.atMs), `  ${effect.label}, ${effect.server}`],
    },
  ]),
  '',
]
