import { EXPORTS, exportText } from '../../core/alerts/exports.ts'
import { COVERED_MINORS } from '../../core/metrics/versions.ts'
import { equals } from '../../core/prom/promql.ts'
import { writeAtomically } from '../files/files.ts'
import type { Console, ExitCode } from './console.ts'
import { refuseExisting } from './share.ts'
import { matcherFrom } from './sourceOptions.ts'
import { readNumber, UsageError, type Command, type Given } from './usage.ts'
import { coveredVersion } from './validate.ts'

/** Writes the alert rules, recording rules and a dashboard for Prometheus, Alertmanager and Grafana. */
export const mixin: Command = {
  options: {
    'kube-version': { type: 'string' },
    'prometheus-label': { type: 'string', multiple: true },
    'cluster-label': { type: 'string' },
    'instance-label': { type: 'string' },
    interval: { type: 'string' },
    force: { type: 'boolean' },
  },
  operands: 'files',
  subcommands: EXPORTS,
  run: runMixin,
}

async function runMixin(given: Given, console: Console): Promise<ExitCode> {
  const [name, file, ...more] = given.operands
  const kind = EXPORTS.find((one) => one === name)
  if (kind === undefined || more.length > 0) {
    throw new UsageError(
      `mixin needs one of ${EXPORTS.join(', ')}, and perhaps the file to write: mixin rules apf.rules.yaml.`,
    )
  }
  const seconds = readNumber(given, 'interval', { min: 1, max: 300, whole: true })
  const text = exportText(kind, {
    version: coveredVersion(given, 'kube-version') ?? `v1.${COVERED_MINORS.newest}`,
    matchers: given.values('prometheus-label').map((one) => {
      const { label, value } = matcherFrom(one)
      return equals(label, value)
    }),
    intervalMs: seconds === undefined ? undefined : seconds * 1_000,
    clusterLabel: labelFrom(given, 'cluster-label'),
    instanceLabel: labelFrom(given, 'instance-label'),
  })
  if (file === undefined) console.print(text.trimEnd().split('\n'))
  else {
    await refuseExisting(file, given.flag('force'))
    await writeAtomically(file, text)
  }
  return 0
}

function labelFrom(given: Given, option: string): string | undefined {
  const name = given.value(option)
  if (name === undefined || /^[a-zA-Z_]\w*$/.test(name)) return name
  throw new UsageError(`--${option} takes the name of a label such as cluster, not ${JSON.stringify(name)}.`)
}
