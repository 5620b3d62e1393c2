import { useCallback, useState } from 'react'
import { alertsSentence, evidenceText, placeText } from '../../../core/alerts/words.ts'
import { RULES } from '../../../core/alerts/rules.ts'
import { ALERTS_LEAD_MS } from '../../../core/bounds.ts'
import type { AlertChange, AlertsState, RuleId, RuleState } from '../../../core/contract/alerts.ts'
import type { Settings } from '../../../core/contract/settings.ts'
import { MS_PER_SECOND } from '../../../core/units.ts'
import { Segment, Button } from '../../components/Button.tsx'
import { DataTable, type DataColumn } from '../../components/DataTable.tsx'
import { valueColumn } from '../../components/dataColumns.ts'
import { NowLine } from '../../components/NowLine.tsx'
import { Pane } from '../../components/Pane.tsx'
import { NoCluster } from '../../components/NoCluster.tsx'
import { ErrorState, LoadingPage, Note } from '../../components/States.tsx'
import { useRun, type AskedRun } from '../../components/useRun.ts'
import { useNothingThen, WaitingNote, WaitingPage } from '../../components/Waiting.tsx'
import { useConnected } from '../../state/connection.ts'
import { openLevel, openScreen } from '../../state/route.ts'
import { useSettings } from '../../state/settings.ts'
import { say } from '../../state/shell.ts'
import { timeStore } from '../../state/time.ts'
import { UNKNOWN } from '../../../core/text/format.ts'
import { format } from '../../theme/format.ts'
import styles from './alerts.module.css'
import { RulePane } from './RulePane.tsx'
import type { ExportKind } from '../../../core/alerts/exports.ts'
import { download } from '../../components/csv.ts'
import { Menu } from '../../components/Menu.tsx'
import { viewStore } from '../../state/view.ts'
import { askedOf, usePastPart, useSettledMoment } from '../../state/past.ts'
import { answerOf, type Waiter } from '../../state/running.ts'
import { useAlerts } from '../../state/sourceState.ts'

const TONES = { firing: 'strong rejected', pending: 'warn', quiet: 'muted', off: 'faint' } as const

const NOTICES: Readonly<Record<Settings['alertNotices'], string>> = { off: 'Off', critical: 'Critical', all: 'All' }

const EVALUATION = 'evaluation of the rules'
const LEAD = format.span(ALERTS_LEAD_MS / MS_PER_SECOND)

/** The alert rules for the shown source: what fires, what fired, why, and what to do about it. */
export function AlertsScreen() {
  const connected = useConnected()
  const present = useAlerts()
  const past = usePastAlerts()
  const isPast = past !== undefined
  const { found: state, problem } = past ?? { found: present }
  const [chosen, setChosen] = useState<RuleId>()
  const nothing = useNothingThen('Alerts')
  if (connected === undefined) {
    return (
      <NoCluster page="Alerts">Alert rules R1 to R12 are evaluated on every sample of a connected source.</NoCluster>
    )
  }
  if (nothing !== undefined) return nothing
  if (problem !== undefined)
    return <ErrorState page="Alerts" title="The alert rules cannot be evaluated." problem={problem} />
  if (state === undefined)
    return isPast ? (
      <WaitingPage title="Alerts" what={EVALUATION} run={past} />
    ) : (
      <LoadingPage title="Alerts" waitingFor="the alert rules" />
    )
  const shown = chosen ?? state.alerts[0]?.rule ?? 'R1'
  return (
    <div className="column full-height">
      <NowLine {...alertsSentence(state, format)} actions={<ExportMenu />} />
      {isPast && (
        <WaitingNote what={EVALUATION} run={past}>
          <Note kind="info">
            {`The rules are evaluated on the ${LEAD} before this instant, so older alerts seem to begin in that range. Silences are not recorded.`}
          </Note>
        </WaitingNote>
      )}
      <Notices />
      <div className={styles['columns']}>
        <div className="shrink-x">
          <RulesPane state={state} shown={shown} onShow={setChosen} />
          <ChangesPane state={state} isPast={isPast} />
        </div>
        <RulePane connection={isPast ? undefined : connected.id} state={state} rule={shown} />
      </div>
    </div>
  )
}

function Notices() {
  const [{ alertNotices }, change] = useSettings()
  const choose = async (wanted: Settings['alertNotices']): Promise<void> => {
    change({ alertNotices: wanted })
    if (wanted === 'off' || !('Notification' in globalThis)) return
    if ((await Notification.requestPermission()) === 'granted') return
    say('Notifications are not allowed here. Allow them for this page in the settings of the browser or desktop.')
  }
  return (
    <div className="row wrap gap-8 pad-x pad-y-6 line-below muted">
      <span>Notifications on this machine</span>
      <Segment
        label="Notifications"
        value={alertNotices}
        options={NOTICES}
        onChange={(wanted) => void choose(wanted)}
      />
      <span className="faint">while the console is open; each alert at most once in 15 min</span>
    </div>
  )
}

function RulesPane(props: {
  readonly state: AlertsState
  readonly shown: RuleId
  readonly onShow: (rule: RuleId) => void
}) {
  const { state, shown, onShow } = props
  const { servers = [] } = useConnected() ?? {}
  return (
    <Pane title="Rules" note={state.asOf === undefined ? undefined : `as of ${format.time(state.asOf)}`}>
      <DataTable
        caption="Alert rules"
        columns={ruleColumns(state, servers.length === 1)}
        rows={state.rules}
        rowKey={({ rule }) => rule}
        selectedKey={shown}
        onOpen={({ rule }) => onShow(rule)}
        csvName="alert rules"
      />
    </Pane>
  )
}

const ruleColumns = (state: AlertsState, isAlone: boolean): readonly DataColumn<RuleState>[] => [
  valueColumn('rule', 'Rule', ({ rule }) => rule, {
    width: 220,
    cell: ({ rule }) => (
      <span>
        <b className="mono">{rule}</b> {RULES[rule].title}
      </span>
    ),
  }),
  valueColumn('state', 'State', (rule) => stateText(rule, state), {
    width: 184,
    cell: (rule) => <span className={TONES[rule.state]}>{stateText(rule, state)}</span>,
  }),
  valueColumn('now', 'Now', (rule) => nowText(rule, state, isAlone)),
  valueColumn('fired', 'Last fired', ({ lastFired }) => lastFired, {
    width: 104,
    align: 'right',
    cell: ({ lastFired }) => <span className="mono">{lastFired === undefined ? UNKNOWN : format.time(lastFired)}</span>,
  }),
]

/** `firing, 2`, `pending, 6 min of 10 min`, `quiet`, `not evaluated`. */
function stateText({ rule, state, pending }: RuleState, { alerts, asOf }: AlertsState): string {
  if (state === 'firing') {
    const own = alerts.filter((alert) => alert.rule === rule)
    const silenced = own.every((alert) => alert.silenced) ? ', silenced' : ''
    return own.length > 1 ? `firing, ${own.length}${silenced}` : `firing${silenced}`
  }
  if (state === 'off') return 'not evaluated'
  if (pending === undefined || asOf === undefined) return state
  const [held, hold] = [asOf - pending.since, pending.holdMs].map((ms) => format.span(Math.round(ms / 1_000)))
  return `pending, ${held} of ${hold}`
}

function nowText({ rule, pending, why = '' }: RuleState, { alerts }: AlertsState, isAlone: boolean): string {
  const alert = alerts.find((one) => one.rule === rule)
  const about = alert ?? (pending && { rule, ...pending })
  if (about === undefined) return why
  const place = isAlone && about.level !== undefined ? about.level : placeText(about)
  return alert === undefined ? place : `${place}: ${format.said(alert.evidence.map(evidenceText).join(', '))}`
}

const CHANGES: readonly DataColumn<AlertChange>[] = [
  valueColumn('at', 'When', ({ at }) => at, { cell: ({ at }) => <span className="mono">{format.time(at)}</span> }),
  valueColumn('kind', 'What', ({ kind, alert }) => `${alert.rule} ${kind}${alert.silenced ? ', silenced' : ''}`),
  { id: 'severity', header: 'Severity', value: ({ alert }) => alert.severity },
  { id: 'place', header: 'Where', value: ({ alert }) => placeText(alert) },
  {
    id: 'evidence',
    header: 'Evidence',
    value: ({ alert }) => format.said(alert.evidence.map(evidenceText).join(', ')),
  },
]

function ChangesPane(props: { readonly state: AlertsState; readonly isPast: boolean }) {
  const { changes } = props.state
  const since = props.isPast ? `in the ${LEAD} before this instant` : 'since this source was connected'
  return (
    <Pane title="What fired" note={`${since}, newest first; Enter shows that instant`}>
      <DataTable
        caption="Alerts that fired or resolved"
        columns={CHANGES}
        rows={changes}
        // By place: a new change would move all others, and moving text cannot be read.
        rowKey={(change) => String(changes.indexOf(change))}
        onOpen={({ at, alert }) => showAt(at, alert)}
        csvName="alerts"
        empty={props.isPast ? `No alert fired ${since}.` : `No alert has fired ${since}.`}
      />
    </Pane>
  )
}

/** Opens the screen that shows the subject of an alert, at an instant of the past. */
export function showAt(at: number, { server, level }: AlertChange['alert']): void {
  timeStore.getState().goTo(at)
  if (server !== undefined && level !== undefined) openLevel(server, level)
  else openScreen('overview')
}

const FILES: readonly { readonly kind: ExportKind; readonly label: string; readonly file: string }[] = [
  { kind: 'rules', label: 'Prometheus alert rules', file: 'apf.rules.yaml' },
  { kind: 'recording-rules', label: 'Prometheus recording rules', file: 'apf.recording.yaml' },
  { kind: 'prometheusrule', label: 'PrometheusRule object', file: 'prometheusrule.yaml' },
  { kind: 'alertmanager', label: 'Alertmanager routes', file: 'routes.yaml' },
  { kind: 'dashboard', label: 'Grafana dashboard', file: 'apf.json' },
  { kind: 'mixin', label: 'Jsonnet mixin', file: 'mixin.libsonnet' },
]

/** The rules for common tools, by the version of the shown server; `apf export` also sets labels. */
function ExportMenu() {
  const version = viewStore((view) => view.server?.version)
  const save = async (kind: ExportKind, file: string): Promise<void> => {
    const { exportText } = await import('../../../core/alerts/exports.ts')
    download(file, new Blob([exportText(kind, { version, matchers: [], intervalMs: undefined })]))
  }
  return (
    <Menu entries={FILES.map(({ kind, label, file }) => ({ label, onSelect: () => void save(kind, file) }))}>
      <Button title={version === undefined ? 'For the newest version of Kubernetes' : `For ${version}`}>
        Export for Prometheus and Grafana
      </Button>
    </Menu>
  )
}

/** Evaluation reads minutes of samples, so it starts only after the same instant was shown for this long. */
const REST_MS = 300

/** The state of the alert rules at the shown instant; the previous one stays meanwhile. `undefined` in the present. */
function usePastAlerts(): AskedRun<AlertsState> | undefined {
  const past = usePastPart(askedOf)
  const at = useSettledMoment()?.at
  const evaluate = useCallback(
    (waiter: Waiter) => answerOf('pastAlerts', { connection: past ?? 0, at: at ?? 0 }, waiter),
    [past, at],
  )
  const run = useRun(`${past}`, past === undefined || at === undefined ? undefined : evaluate, { restMs: REST_MS })
  return past === undefined ? undefined : run
}
