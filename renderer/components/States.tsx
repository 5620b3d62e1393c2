import { useEffect, useState, type ReactNode } from 'react'
import type { Problem } from '../../core/contract/errors.ts'
import { Copy } from './Copy.tsx'
import { Note } from './Note.tsx'
import { scrollRegion } from './scrollRegion.ts'
import styles from './States.module.css'

/** Nothing to show: one sentence, what it means, one action. */
export function EmptyState(props: {
  readonly title: string
  readonly children?: ReactNode
  readonly actions?: ReactNode
}) {
  return (
    <div className={styles['state']}>
      <h2 className={styles['title']}>{props.title}</h2>
      {props.children !== undefined && <div className={styles['text']}>{props.children}</div>}
      {props.actions !== undefined && <div className={styles['actions']}>{props.actions}</div>}
    </div>
  )
}

const BARS = ['42%', '58%', '36%', '50%']

/**
 * Nothing for 400 ms, then grey lines, after a second a line of text; never a spinner. `waitingFor` completes
 * "waiting for …".
 */
export function Loading({ waitingFor }: { readonly waitingFor: string }) {
  const [seconds, setSeconds] = useState(0)
  const [lines, setLines] = useState(false)
  useEffect(() => {
    const soon = setTimeout(() => setLines(true), 400)
    const ticking = setInterval(() => setSeconds((value) => value + 1), 1_000)
    return () => {
      clearTimeout(soon)
      clearInterval(ticking)
    }
  }, [])
  return (
    <div className={styles['loading']} aria-busy="true" aria-label={`waiting for ${waitingFor}`} role="status">
      {lines && BARS.map((width) => <div key={width} className={styles['bar']} style={{ width }} />)}
      <p className={styles['waiting']} aria-hidden="true">
        {seconds > 0 && `waiting for ${waitingFor}, ${seconds} s`}
      </p>
    </div>
  )
}

/** Text that is meant to be copied: YAML, raw replies. */
export function Preformatted({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <pre className={styles['pre']} {...scrollRegion(label)}>
      {text}
    </pre>
  )
}

/** The raw words behind a sentence, closed at first unless `open`. */
export function Details(props: { readonly text: string; readonly summary?: string; readonly open?: boolean }) {
  const { text, summary = 'details', open = false } = props
  return (
    <details className={styles['details']} open={open}>
      <summary>{summary}</summary>
      <Preformatted text={text} label={summary} />
    </details>
  )
}

/** What a credential plugin wrote, or how to install it, is the reason itself; other details only support it. */
const saysWhy = ({ code }: Problem): boolean => code === 'credentials'

/** A failure in one sentence, with the details behind a disclosure. */
export function ProblemNote(props: {
  readonly problem: Problem
  readonly alert?: boolean
  readonly action?: ReactNode
}) {
  const { problem, alert = false, action } = props
  return (
    <Note kind="bad" alert={alert}>
      <span>{problem.message}</span>
      {problem.details !== undefined && <Details text={problem.details} open={saysWhy(problem)} />}
      {action}
    </Note>
  )
}

/** A whole region that cannot be shown: what failed, when it is tried again, the details. */
export function ErrorState(props: {
  readonly title: string
  readonly problem: Problem
  readonly children?: ReactNode
  readonly actions?: ReactNode
}) {
  return (
    <EmptyState title={props.title} actions={props.actions}>
      <p>{props.problem.message}</p>
      {props.children}
      {props.problem.details !== undefined && <Details text={props.problem.details} open={saysWhy(props.problem)} />}
    </EmptyState>
  )
}

/** A call that the credential may not make: the call, what stays readable, and the exact role that mends it. */
export function ForbiddenState(props: {
  /** `You may not read /metrics on prod-eu-1.` */
  readonly title: string
  /** What still works. */
  readonly children: ReactNode
  readonly role?: string | undefined
  readonly actions?: ReactNode
}) {
  const { title, children, role, actions } = props
  return (
    <EmptyState
      title={title}
      actions={
        <>
          {role !== undefined && <Copy text={role} label="Copy role and binding" />}
          {role !== undefined && <Copy text={kubectlApply(role)} label="Copy kubectl command" />}
          {actions}
        </>
      }
    >
      {children}
      {role !== undefined && <Preformatted text={role} label="Role and binding" />}
    </EmptyState>
  )
}

/** A shell command that applies the YAML as it stands. */
export function kubectlApply(yaml: string): string {
  return `kubectl apply -f - <<'EOF'\n${yaml.trimEnd()}\nEOF\n`
}
