import { useEffect, useState } from 'react'
import { alertKey, isAbout } from '../../../core/alerts/alert.ts'
import { evidenceText, placeText } from '../../../core/alerts/words.ts'
import { RULES } from '../../../core/alerts/rules.ts'
import type { Alert, AlertsState, RuleId, Silence } from '../../../core/contract/alerts.ts'
import { Button, Buttons, Copy } from '../../components/Button.tsx'
import { Pane } from '../../components/Pane.tsx'
import { Details } from '../../components/States.tsx'
import { EXPLAINED_RULES, wordsFor } from '../../../core/verdict/cause.ts'
import { client } from '../../state/client.ts'
import { openLevel, openPage, openScreen } from '../../state/route.ts'
import { useFindings } from '../../state/findings.ts'
import { sayFailure } from '../../state/shell.ts'
import { viewStore } from '../../state/view.ts'
import { format } from '../../theme/format.ts'

const TONES = { critical: 'strong rejected', warning: 'warn', info: 'muted' } as const

const SILENCE_MS = 3_600_000

interface RulePaneProps {
  /** Connection whose alerts can be silenced; absent for an instant of the past. */
  readonly connection: number | undefined
  readonly state: AlertsState
  readonly rule: RuleId
}

/** One rule: when it fires, what it reports now, and the same for Prometheus. */
export function RulePane({ connection, state, rule }: RulePaneProps) {
  const { title, condition, holdMs, severity } = RULES[rule]
  const own = state.alerts.filter((alert) => alert.rule === rule)
  const standing = state.rules.find((one) => one.rule === rule)
  const silence = (of: number, silences: readonly Silence[]): void => {
    client()
      .call('alerts.silence', { connection: of, silences: [...silences] })
      .catch(sayFailure)
  }
  return (
    <Pane title={`${rule} ${title}`} note={severity}>
      <div className="stack one-column gap-12 pad-x pad-b-16">
        <p>
          Fires when {condition}
          {holdMs === 0 ? '' : `, for ${format.span(holdMs / 1_000)}`}.
        </p>
        {standing?.state === 'off' && <p className="faint">Not evaluated. {standing.why}</p>}
        {own.map((alert) => (
          <FiringAlert
            key={alertKey(alert)}
            alert={alert}
            onSilence={
              connection === undefined
                ? undefined
                : () =>
                    silence(
                      connection,
                      alert.silenced
                        ? state.silences.filter((one) => !isAbout(one, alert))
                        : [...state.silences, silenceFor(alert, state.asOf ?? alert.firedAt)],
                    )
            }
          />
        ))}
        {own.length === 0 && standing?.state !== 'off' && (
          <p className="faint">
            {standing?.state === 'pending'
              ? `Met for ${placeText({ rule, ...standing.pending })} since ${format.time(standing.pending?.since)}, not yet for long enough.`
              : 'The condition is not met.'}
          </p>
        )}
        <Expression rule={rule} />
      </div>
    </Pane>
  )
}

/** Silences this rule and level for an hour from the newest sample on. */
const silenceFor = ({ rule, level, server }: Alert, asOf: number): Silence => ({
  rule,
  ...(level !== undefined && { level }),
  ...(server !== undefined && { server }),
  until: asOf + SILENCE_MS,
})

function FiringAlert({ alert, onSilence }: { readonly alert: Alert; readonly onSilence: (() => void) | undefined }) {
  const { severity, since, evidence, silenced, server, level, subject } = alert
  const findings = useFindings(onSilence !== undefined && EXPLAINED_RULES.has(alert.rule))
  const { cause, remedy } = wordsFor(findings, alert) ?? alert
  const about = `${placeText(alert)}${subject === undefined || alert.rule === 'R8' ? '' : ` (${subject})`}`
  return (
    <section className="stack one-column gap-4 pad-t-8 line-above" aria-label={`Alert: ${about}`}>
      <h3 className="row gap-8">
        <span className={TONES[severity]}>{severity}</span> {about}
      </h3>
      <p className="muted">
        since {format.time(since)}
        {evidence.length > 0 && `: ${format.said(evidence.map(evidenceText).join(', '))}`}
      </p>
      <p>{format.said(cause)}</p>
      <p>{remedy}</p>
      <Buttons>
        {server !== undefined && level !== undefined && (
          <Button small onClick={() => openLevel(server, level)}>
            Open {level}
          </Button>
        )}
        {alert.rule === 'R7' && (
          <Button small onClick={() => openScreen('overview')}>
            Compare servers
          </Button>
        )}
        {alert.rule === 'R8' && (
          <Button small onClick={() => openPage('editor', 'draft')}>
            Open the Editor
          </Button>
        )}
        {onSilence !== undefined && (
          <Button small asks="alerts.silence" onClick={onSilence}>
            {silenced ? 'Unsilence' : 'Silence for 1 h'}
          </Button>
        )}
      </Buttons>
    </section>
  )
}

/** The rule in PromQL; the families of all versions are loaded for it. */
function Expression({ rule }: { readonly rule: RuleId }) {
  const version = viewStore((view) => view.server?.version)
  const [text, setText] = useState<string | null>()
  useEffect(() => {
    let gone = false
    const write = async (): Promise<void> => {
      const { alertExpressions } = await import('../../../core/alerts/expressions.ts')
      if (gone) return
      const all = alertExpressions({ version, matchers: [], intervalMs: undefined })
      const own = all.filter(({ labels }) => labels['apf_rule'] === rule)
      setText(own.length === 0 ? null : own.map(({ expr }) => expr).join('\n\n'))
    }
    void write()
    return () => {
      gone = true
    }
  }, [rule, version])
  if (text === undefined) return null
  if (text === null) {
    return (
      <p className="faint">
        {rule === 'R8'
          ? 'Prometheus cannot evaluate it: it does not scrape the flow-control objects.'
          : 'This version of Kubernetes lacks a metric that the expression needs.'}
      </p>
    )
  }
  return (
    <div className="line-above pad-t-8">
      <Details summary={`PromQL of ${rule}`} text={text}>
        <Copy text={text} label="Copy PromQL" />
      </Details>
    </div>
  )
}
