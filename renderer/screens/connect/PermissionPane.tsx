import { Fragment, type ReactNode } from 'react'
import { LOOKING, type CapabilityResult, type PermissionReport } from '../../../core/contract/source.ts'
import { unixMsOf } from '../../../core/units.ts'
import { classes } from '../../components/classes.ts'
import { Button, Buttons, Copy } from '../../components/Button.tsx'
import { Icon, type IconName } from '../../components/Icon.tsx'
import { Note, kubectlApply, Loading, Preformatted, ProblemNote } from '../../components/States.tsx'
import type { DataColumn } from '../../components/dataColumns.ts'
import { PlainTable } from '../../components/PlainTable.tsx'
import { Pane } from '../../components/Pane.tsx'
import { format } from '../../theme/format.ts'
import type { Task } from '../../components/hooks.ts'
import type { Kind } from './SourceList.tsx'
import { capabilityRows, consequences, countOf, distinct, shortNeeds } from './reports.data.ts'
import styles from './Connect.module.css'

const WITHOUT_PERMISSION: Readonly<Record<Exclude<Kind, 'direct'>, string>> = {
  simulation: 'Everything: metrics, debug dumps, objects and users. No permissions are required.',
  prometheus:
    'Seats, limits, demand, waits and rejections at each scrape, and the past that Prometheus keeps. For flows, queues, single requests and objects connect to the API server directly.',
  proxy:
    'Every request through the proxy, with its queue, flow, seats and wait. The server’s objects need get, list and watch, object counts need /metrics; without these the proxy uses built-in objects and one seat for every list.',
  feed: 'Every request in the log, and what flow control would have done with it.',
  etcd: 'Requests, rules, rejections and the storage quota, for the user who started the proxy.',
  demo: 'Everything: metrics and debug dumps. No permissions are required.',
  file: 'Depends on the files: a /metrics page gives seats, limits, demand and rejections; dumps give queues, flows and requests. Two pages of one server also give rates.',
}

/** What the credential may do, what is missing, and exactly how to grant it. */
export function PermissionPane(props: {
  readonly kind: Kind
  readonly check: Task<PermissionReport[]>
  readonly onCheck: () => void
}) {
  const { kind, check, onCheck } = props
  if (kind === 'direct' && check.state === 'done') return <Reports reports={check.value} onCheck={onCheck} />
  return (
    <Pane title="Available features">
      {kind !== 'direct' ? (
        <p className="pad-x pad-y-6 tiny leading-140 faint">{WITHOUT_PERMISSION[kind]}</p>
      ) : check.state === 'busy' ? (
        <Loading waitingFor="the server responses" />
      ) : (
        <div className={styles['form']}>
          <p className="prose muted">
            “Check permissions” tests what this credential may do, and changes nothing. You can also connect right away.
          </p>
        </div>
      )}
    </Pane>
  )
}

/** Objects to apply, as text that can be copied. */
function Manifest({
  yaml,
  label,
  children,
}: {
  readonly yaml: string
  readonly label: string
  readonly children?: ReactNode
}) {
  return (
    <>
      <Preformatted text={yaml} label={label} />
      <Buttons>
        <Copy text={yaml} label="Copy YAML" />
        <Copy text={kubectlApply(yaml)} label="Copy kubectl command" />
        {children}
      </Buttons>
    </>
  )
}

function Reports({
  reports,
  onCheck,
}: {
  readonly reports: readonly PermissionReport[]
  readonly onCheck: () => void
}) {
  const rows = capabilityRows(reports)
  const { allowed, of } = countOf(rows)
  const users = distinct(reports.map(({ user }) => user))
  const roles = distinct(reports.map(({ missingRole }) => missingRole))
  const editRoles = distinct(reports.map(({ editRole }) => editRole))
  const levels = distinct(reports.map(({ ownLevel }) => ownLevel))
  const checkedAt = reports[0]?.checkedAt
  const who = users.length === 0 ? '' : ` as ${users.join(', ')}`
  return (
    <>
      <Pane
        title="Available features"
        note={`${of === 0 ? 'unknown' : `${allowed} of ${of}`}${who}${checkedAt === undefined ? '' : `, checked ${format.time(unixMsOf(checkedAt))}`}`}
      >
        {reports.map(
          ({ server, problem }) =>
            problem !== undefined && (
              <div key={server} className="stack gap-8 pad-x pad-y-10">
                <span className="mono">{server}</span>
                <ProblemNote problem={problem} />
              </div>
            ),
        )}
        {rows.length > 0 && (
          <PlainTable
            caption="Capabilities"
            className={classes(styles['table'], styles['capabilities'])}
            columns={COLUMNS}
            rows={rows}
            rowKey={({ capability }) => capability}
          />
        )}
        {roles.map((role) => (
          <div key={role} className="stack gap-8 pad-x pad-y-10">
            <Note kind="bad">
              <b>{refused(rows)}</b> Apply this role, then check again. It grants no more than what is missing.
            </Note>
            <Manifest yaml={role} label="Role and binding that are missing">
              <Button small onClick={onCheck}>
                Check again
              </Button>
            </Manifest>
          </div>
        ))}
      </Pane>
      {allowed < of && (
        <Pane title="Features and their permissions">
          <dl className={styles['facts']}>
            {consequences(rows).map(({ what, stays }) => (
              <Fragment key={what}>
                <dt className="muted">{what}</dt>
                <dd className={stays ? undefined : 'bad'}>{stays ? 'available' : 'unavailable'}</dd>
              </Fragment>
            ))}
          </dl>
        </Pane>
      )}
      {editRoles.map((role) => (
        <Pane key={role} title="Required for editing" note="not required for viewing">
          <div className="stack gap-8 pad-x pad-y-10">
            <details>
              <summary>This role lets the user try and apply edits.</summary>
              <Manifest yaml={role} label="Role and binding for edits" />
            </details>
          </div>
        </Pane>
      ))}
      {levels.map((level) => (
        <Pane key={level} title="Priority level for the console" note="recommended">
          <div className="stack gap-8 pad-x pad-y-10">
            <p className="prose muted">
              Otherwise the console’s requests queue with all others, and wait when you need them most. These objects
              give it a few seats of its own.
            </p>
            <Manifest yaml={level} label="Priority level and flow schema for the console" />
          </div>
        </Pane>
      ))}
    </>
  )
}

/** The calls that were refused, in a sentence. */
function refused(rows: readonly CapabilityResult[]): string {
  const calls = rows
    .filter(({ capability, status }) => LOOKING.has(capability) && status === 'forbidden')
    .map(({ needs }) => shortNeeds(needs))
  return calls.length === 0 ? 'Permissions are missing.' : `Refused: ${calls.join('; ')}.`
}

const LOOK: Readonly<
  Record<CapabilityResult['status'], { icon: IconName; tone: 'good' | 'bad' | 'warn' | 'faint'; word: string }>
> = {
  allowed: { icon: 'check', tone: 'good', word: 'allowed' },
  forbidden: { icon: 'cross', tone: 'bad', word: 'forbidden' },
  failed: { icon: 'warn', tone: 'warn', word: 'could not be tested' },
  'not-applicable': { icon: 'lock', tone: 'faint', word: 'does not apply' },
}

/** Viewing does not require editing, so a viewer lacks nothing. */
const lookOfEdits = (status: CapabilityResult['status']): (typeof LOOK)[typeof status] =>
  status === 'forbidden' ? { icon: 'lock', tone: 'faint', word: 'not allowed; not required for viewing' } : LOOK[status]

const lookOf = ({ capability, status }: CapabilityResult) =>
  LOOKING.has(capability) ? LOOK[status] : lookOfEdits(status)

const COLUMNS: readonly DataColumn<CapabilityResult>[] = [
  {
    id: 'capability',
    header: 'Capability',
    width: '40%',
    cell: (row) => {
      const { icon, tone, word } = lookOf(row)
      return (
        <span className="flex gap-8">
          <span className={tone}>
            <Icon name={icon} size={13} />
          </span>
          <span className="sr-only">{word}: </span>
          {row.label}
        </span>
      )
    },
  },
  {
    id: 'needs',
    header: 'Needs',
    cell: ({ needs }) => (
      <span className="mono" title={needs}>
        {shortNeeds(needs)}
      </span>
    ),
  },
  {
    id: 'found',
    header: 'Found',
    look: (row) => (['bad', 'warn'].includes(lookOf(row).tone) ? lookOf(row).tone : undefined),
    cell: ({ found }) => found,
  },
]
