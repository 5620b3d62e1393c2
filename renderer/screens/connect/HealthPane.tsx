import type { Cadence, ServerHealth, Connected } from '../../../core/contract/source.ts'
import type { Frame, MissingFamily, SourceInfo } from '../../../core/frame/frame.ts'
import type { Place } from '../../../core/prom/measures.ts'
import { recordingRules, rulesYaml } from '../../../core/prom/recordingRules.ts'
import { plural, UNKNOWN } from '../../../core/text/format.ts'
import { unixMsOf } from '../../../core/units.ts'
import { Button, Buttons, Copy } from '../../components/Button.tsx'
import { classes, scrollRegion } from '../../components/classes.ts'
import { Icon } from '../../components/Icon.tsx'
import { Note, Details, ProblemNote } from '../../components/States.tsx'
import type { DataColumn } from '../../components/dataColumns.ts'
import { PlainTable } from '../../components/PlainTable.tsx'
import { Pane } from '../../components/Pane.tsx'
import { useNow } from '../../components/hooks.ts'
import { useRefusal } from '../../state/limits.ts'
import { useViewPart } from '../../state/view.ts'
import { format } from '../../theme/format.ts'
import { CadenceFields, FactList } from './fields.tsx'
import {
  backoffOf,
  type Fact,
  healthFacts,
  pastsToTell,
  pastText,
  type Past,
  reasonWord,
  sourceFacts,
} from './reports.data.ts'
import styles from './Connect.module.css'
import { ask } from '../../state/connection.ts'
import { useServerObjects } from '../../state/objects.ts'
import { monitoringChecks } from '../../../core/impact/monitoring.ts'

/** The health of the connected source: per server its cost, its failures, and the metrics missing in its version. */
export function HealthPane({ connection }: { readonly connection: Connected }) {
  const frame = useViewPart((view) => view.frame)
  const factsOf = useFacts(frame)
  const { servers, cadence, source, still } = connection
  const refused = useRefusal('sources.cadence')
  const change = (next: Cadence): void => void ask('sources.cadence', next).catch(() => undefined)
  const only = servers.length === 1 ? servers[0] : undefined
  const notes = [...new Set(servers.flatMap((health) => health.notes ?? []))]
  const missing = new Map(frame?.servers.flatMap((server) => server.missing.map((family) => [family.family, family])))
  return (
    <Pane title="Health of the source" note={source.name}>
      {source.kind === 'scrape' && !still && refused === undefined && (
        <div className={styles['form']}>
          <CadenceFields {...cadence} onChange={change} />
        </div>
      )}
      {servers
        .filter(({ status }) => status === 'failing')
        .map((health) => (
          <Failures key={health.id} health={health} />
        ))}
      {notes.length > 0 && (
        <div className="stack gap-8 pad-x pad-y-10">
          {notes.map((note) => (
            <Note key={note} kind="warn">
              {note}
            </Note>
          ))}
        </div>
      )}
      {source.kind === 'prometheus' && (
        <Rules
          version={frame?.servers[0]?.version}
          intervalMs={servers[0]?.prometheus?.intervalMs}
          native={servers[0]?.prometheus?.native}
        />
      )}
      {pastsToTell(servers).map((health) => (
        <PastRead key={health.id} health={health} past={health.past} />
      ))}
      {FROM_THE_ENGINE[source.kind] !== undefined ? (
        <p className="pad-x pad-y-6 tiny leading-140 faint">{FROM_THE_ENGINE[source.kind]}</p>
      ) : only !== undefined ? (
        <FactList facts={factsOf(only).filter(({ value }) => value !== UNKNOWN)} />
      ) : (
        <>
          <ServerTable servers={servers} frame={frame} />
          <FactList facts={sourceFacts(frame)} />
        </>
      )}
      {missing.size > 0 && (
        <details className="pad-t-8">
          <summary className="pad-x pad-y-6 muted">
            {`${format.counted(missing.size, 'metric')} not shown, and what stands for ${plural(missing.size, 'it', 'them')}`}
          </summary>
          <PlainTable
            caption="Metric families that are not shown"
            className={styles['table']}
            columns={MISSING_COLUMNS}
            rows={[...missing.values()]}
            rowKey={({ family }) => family}
          />
        </details>
      )}
    </Pane>
  )
}

const FROM_THE_ENGINE: Readonly<Partial<Record<SourceInfo['kind'], string>>> = {
  simulation: 'Samples come from the engine, at no cost to the simulated server.',
  proxy: 'Samples come from the engine, at no cost to the server behind the proxy.',
  feed: 'Samples come from the console’s own engine, at the times of the events.',
}

/** What reading a server costs, and whether it does what is to be expected of it. */
function useFacts(frame: Frame | undefined): (health: ServerHealth) => readonly Fact[] {
  const objects = useServerObjects()
  return (health) => {
    const server = frame?.servers.find(({ id }) => id === health.id)
    return [...healthFacts(health, frame), ...(server === undefined ? [] : monitoringChecks(server, objects, format))]
  }
}

function ServerTable(props: { readonly servers: readonly ServerHealth[]; readonly frame: Frame | undefined }) {
  const { servers, frame } = props
  const facts = servers.map(useFacts(frame))
  const labels = facts[0]?.map(({ label }, index) => ({ label, index })) ?? []
  return (
    <div className={styles['scroll']} {...scrollRegion('Servers')}>
      <PlainTable
        caption="Health of each server"
        className={styles['table']}
        columns={[
          { id: 'measure', header: 'Measure', hiddenHeader: true, rowHeader: true, value: ({ label }) => label },
          ...servers.map((health, server): DataColumn<(typeof labels)[number]> => ({
            id: health.id,
            header: health.id,
            head: <ServerName health={health} />,
            look: ({ index }) => facts[server]?.[index]?.tone,
            value: ({ index }) => facts[server]?.[index]?.value,
          })),
        ]}
        rows={labels}
        rowKey={({ label }) => label}
      />
    </div>
  )
}

/** U+2060 joins it to the name; otherwise a narrow column would put it on a line of its own. */
const SHORTENED = '…\u2060'

const MISSING_COLUMNS: readonly DataColumn<MissingFamily>[] = [
  {
    id: 'family',
    header: 'Family',
    term: 'metric-family',
    cell: ({ family }) => (
      <span className="mono" title={family}>
        {family.replace('apiserver_flowcontrol_', SHORTENED)}
      </span>
    ),
  },
  { id: 'why', header: 'Why', look: () => 'nowrap faint', cell: reasonWord },
  { id: 'substitute', header: 'Substitute', look: () => styles['gives'], cell: ({ note }) => note },
]

function ServerName({ health }: { readonly health: ServerHealth }) {
  const good = health.status === 'ok'
  return (
    <span className="flex gap-8">
      <span className={good ? 'good' : 'warn'}>
        <Icon name={good ? 'check' : 'warn'} size={13} />
      </span>
      <span className="mono">{health.id}</span>
      <span className={good ? 'sr-only' : 'nowrap faint'}>{health.status}</span>
    </span>
  )
}

/** How far the past of a server has been read, where the source reads it. */
function PastRead({ health, past }: { readonly health: ServerHealth; readonly past: Past }) {
  const { text, tone, problem } = pastText(past, health.lastGoodAt)
  return (
    <div className="stack gap-8 pad-x pad-y-10">
      <Note kind={tone}>{text}</Note>
      {problem !== undefined && <ProblemNote problem={problem} />}
      {past.state === 'reading' && (
        <Buttons>
          <Button small asks="sources.stopPast" onClick={() => void ask('sources.stopPast', {}).catch(() => undefined)}>
            Stop reading back
          </Button>
        </Buttons>
      )}
    </div>
  )
}

/** Optional recording rules for long ranges in other tools; the console needs none of them. */
function Rules(place: Omit<Place, 'matchers'>) {
  const text = rulesYaml(recordingRules(place), place.intervalMs)
  return (
    <div className="stack gap-8 pad-x pad-y-10">
      <Details summary="Recording rules for long ranges, not required" text={text} />
      <Buttons>
        <Copy text={text} label="Copy recording rules" />
      </Buttons>
    </div>
  )
}

/** The attempts so far as bars, the wait until the next, and the last error of the server. */
function Failures({ health }: { readonly health: ServerHealth }) {
  const now = useNow()
  const { waits, nextInSeconds } = backoffOf(health, now)
  const last = health.failures.at(-1)
  const longest = Math.max(1, ...waits)
  const details = health.failures
    .map(({ at, problem }) => `${format.time(unixMsOf(at))} ${problem.details ?? problem.message}`)
    .join('\n')
  return (
    <div className="stack gap-8 pad-x pad-y-10">
      <p className="bad">{last?.problem.message ?? `${health.id} does not answer.`}</p>
      <div className={styles['tries']} role="img" aria-label={`${health.failures.length} failed tries`}>
        {waits.map((seconds, index) => (
          <span
            // Attempts keep their place in the list.
            key={health.failures[index]?.at ?? index}
            className={classes(
              styles['try'],
              index === waits.length - 1 && nextInSeconds !== undefined && styles['next'],
            )}
            style={{ flex: `0 1 ${(seconds / longest) * 140}px` }}
          >
            {Math.round(seconds)} s
          </span>
        ))}
      </div>
      {nextInSeconds !== undefined && (
        <p>
          Next try in {nextInSeconds} s.{' '}
          {health.lastGoodAt === undefined
            ? 'There is no sample yet.'
            : `The last values, from ${format.time(unixMsOf(health.lastGoodAt))}, stay and are marked stale.`}
        </p>
      )}
      <Buttons>
        <Button
          small
          asks="sources.tryNow"
          onClick={() => void ask('sources.tryNow', { server: health.id }).catch(() => undefined)}
        >
          Retry now
        </Button>
        <Copy text={details} label="Copy details" />
      </Buttons>
      <Details text={details} />
    </div>
  )
}
