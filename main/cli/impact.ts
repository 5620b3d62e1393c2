import { DEFAULT_SERVER_LIMIT } from '../../core/classify/configuration.ts'
import type { ObjectSet } from '../../core/config/objects.ts'
import type { ServerFrame } from '../../core/frame/frame.ts'
import { changesBetween } from '../../core/guard/changes.ts'
import { confirmationsFor } from '../../core/guard/confirmations.ts'
import { guardRails } from '../../core/guard/guardRails.ts'
import { demandOf } from '../../core/impact/demand.ts'
import { seatImpact } from '../../core/impact/seatImpact.ts'
import { nominalLimitsOf, possibleServerLimits, reportedServerLimit } from '../../core/impact/serverLimit.ts'
import type { Console, ExitCode } from './console.ts'
import { HELP } from './help.ts'
import { impactInput, type ImpactInput } from './impactInput.ts'
import { type ImpactAnswer, type LimitFrom, impactJson, impactText } from './impactReport.ts'
import { tellFindings } from './manifestFiles.ts'
import { CLUSTER_OPTIONS, SOURCE_OPTIONS } from './sourceOptions.ts'
import { type OptionInfo, printHelp, readNumber, readOptions } from './usage.ts'

const OPTIONS = {
  config: { type: 'string', multiple: true, list: true },
  edit: { type: 'string', multiple: true, list: true },
  whole: { type: 'boolean' },
  'server-limit': { type: 'string' },
  'kube-version': { type: 'string' },
  test: { type: 'string' },
  ...CLUSTER_OPTIONS,
  file: SOURCE_OPTIONS.file,
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const satisfies Readonly<Record<string, OptionInfo>>

const MOST_SEATS = 1_000_000_000

/** Shows what an edit does to every level. 1 when a guard rail blocks it or a server would reject it. */
export async function impact(args: readonly string[], console: Console): Promise<ExitCode> {
  const given = readOptions(withRepeated(args, ['--config', '--edit']), OPTIONS)
  if (given.flag('help')) {
    printHelp(console, HELP.impact)
    return 0
  }
  const wanted = readNumber(given, 'server-limit', { min: 1, max: MOST_SEATS, whole: true })
  const input = await impactInput(given, console)
  if (input === undefined) return 2
  for (const sentence of [...input.notes, ...input.problems]) console.tell(sentence)
  tellFindings(input.errors, console)
  const answer = answerOf(input, wanted)
  if (given.flag('json')) console.printJson(impactJson(answer), 2)
  else console.print(impactText(answer))
  const blocked = answer.findings.some(({ severity }) => severity === 'blocks')
  return blocked || input.errors.length > 0 || input.problems.length > 0 ? 1 : 0
}

/** `--edit a b` is `--edit a --edit b`. */
function withRepeated(args: readonly string[], options: readonly string[]): readonly string[] {
  let list: string | undefined
  let values = 0
  return args.flatMap((arg) => {
    if (arg.startsWith('-') && arg !== '-') {
      list = options.includes(arg) ? arg : undefined
      values = 0
      return [arg]
    }
    values += 1
    return list === undefined || values === 1 ? [arg] : [list, arg]
  })
}

function answerOf(input: ImpactInput, wanted: number | undefined): ImpactAnswer {
  const { before, after, version, servers, tests, origin } = input
  const measured = servers.map((one) => {
    const [serverLimit, limitFrom] = limitOf(one, before, wanted)
    const demand = demandOf(one)
    return { id: one.id, limitFrom, impact: seatImpact({ before, after, serverLimit, version, demand }) }
  })
  const [first] = measured
  const { impact: chosen, limitFrom } = first ?? withoutServer(input, wanted)
  const { serverLimit } = chosen
  return {
    ...input,
    limitFrom,
    impact: chosen,
    perServer: measured,
    findings: guardRails({ before, after, context: { version, serverLimit, origin, servers, tests } }),
    confirmations: confirmationsFor(changesBetween(before, after), { version, servers }),
  }
}

function withoutServer({ before, after, version }: ImpactInput, wanted: number | undefined) {
  const serverLimit = wanted ?? DEFAULT_SERVER_LIMIT
  const limitFrom: LimitFrom = wanted === undefined ? 'default' : 'option'
  return { limitFrom, impact: seatImpact({ before, after, serverLimit, version }) }
}

/** Seats of a server, and how they are known. */
function limitOf(live: ServerFrame, before: ObjectSet, wanted: number | undefined): readonly [number, LimitFrom] {
  if (wanted !== undefined) return [wanted, 'option']
  const reported = reportedServerLimit(live)
  if (reported !== undefined) return [reported, 'server']
  const possible = possibleServerLimits(before, nominalLimitsOf(live))
  return possible === undefined ? [DEFAULT_SERVER_LIMIT, 'default'] : [possible.most, 'nominal-limits']
}
