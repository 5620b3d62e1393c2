import { useEffect, useState, type ReactNode, Component } from 'react'
import type { Problem, ErrorCode } from '../../core/errors.ts'
import type { Moment } from '../../core/contract/recording.ts'
import { useHasScreen } from '../state/limits.ts'
import { openScreen } from '../state/route.ts'
import { readsClusters, useConnected } from '../state/connection.ts'
import { usePastPart } from '../state/past.ts'
import { timeStore } from '../state/time.ts'
import { format } from '../theme/format.ts'
import { Copy, Button } from './Button.tsx'
import { scrollRegion, classes } from './classes.ts'
import styles from './States.module.css'
import { Icon, type IconName } from './Icon.tsx'

interface OfPage {
  /** Heading of a page that has nothing else to show; for screen readers only. */
  readonly page?: string | undefined
}

/** Nothing to show: one sentence, its meaning, one action. */
export function EmptyState(
  props: OfPage & {
    readonly title: string
    readonly children?: ReactNode
    readonly actions?: ReactNode
  },
) {
  return (
    <>
      {props.page !== undefined && <h1 className="sr-only">{props.page}</h1>}
      <div className={styles['state']}>
        <h2 className={styles['title']}>{props.title}</h2>
        {props.children !== undefined && <div className={`${styles['text']} large prose muted`}>{props.children}</div>}
        {props.actions !== undefined && <div className="flex wrap gap-8">{props.actions}</div>}
      </div>
    </>
  )
}

const BARS = ['42%', '58%', '36%', '50%']

/** How long something was waited for, and how much of it is read, once that is known; empty in the first second. */
export function useWaited(waitingFor: string, part = 0): string {
  const [seconds, setSeconds] = useState(0)
  useEffect(() => {
    const ticking = setInterval(() => setSeconds((value) => value + 1), 1_000)
    return () => clearInterval(ticking)
  }, [])
  if (seconds === 0) return ''
  return `waiting for ${waitingFor}, ${seconds} s${part === 0 ? '' : `, ${format.percent(part)} read`}`
}

/**
 * Nothing for 400 ms, then grey lines, after a second a line of text and how to `cancel`; never a spinner. `waitingFor`
 * completes "waiting for …".
 */
export function Loading({
  waitingFor,
  part,
  cancel,
}: {
  readonly waitingFor: string
  readonly part?: number
  readonly cancel?: ReactNode
}) {
  const waited = useWaited(waitingFor, part)
  return (
    <>
      <div
        className="stack gap-12 pad-x pad-y-8"
        aria-busy="true"
        aria-label={`waiting for ${waitingFor}`}
        role="status"
      >
        {BARS.map((width) => (
          <div key={width} className={styles['bar']} style={{ width }} />
        ))}
        <p className={styles['waiting']} aria-hidden="true">
          {waited}
        </p>
      </div>
      {waited !== '' && cancel !== undefined && <div className="pad-x">{cancel}</div>}
    </>
  )
}

/** A whole page that is loading. Its heading is there from the start. */
export const LoadingPage = ({ title, waitingFor }: { readonly title: string; readonly waitingFor: string }) => (
  <>
    <h1 className="sr-only">{title}</h1>
    <Loading waitingFor={waitingFor} />
  </>
)

/** Text to copy: YAML, raw replies. */
export function Preformatted({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <pre className={styles['pre']} {...scrollRegion(label)}>
      {text}
    </pre>
  )
}

/** The raw text behind a sentence, closed at first unless `open`. */
export function Details(props: {
  readonly text: string
  readonly summary?: string
  readonly open?: boolean
  readonly children?: ReactNode
}) {
  const { text, summary = 'details', open = false, children } = props
  return (
    <details className={styles['details']} open={open}>
      <summary>{summary}</summary>
      <Preformatted text={text} label={summary} />
      {children}
    </details>
  )
}

/** The output of a credential plugin, or how to install it, is the reason itself; other details only support it. */
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

/** A whole region that cannot be shown: what failed, when the next attempt is, the details. */
export function ErrorState(
  props: OfPage & {
    readonly title: string
    readonly problem: Problem
    readonly children?: ReactNode
    readonly actions?: ReactNode
  },
) {
  return (
    <EmptyState page={props.page} title={props.title} actions={props.actions}>
      <p>{props.problem.message}</p>
      {props.children}
      {props.problem.details !== undefined && <Details text={props.problem.details} open={saysWhy(props.problem)} />}
    </EmptyState>
  )
}

/** A call that the credential may not make: the call, what is still readable, and the exact role that fixes it. */
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

/** A shell command that applies the YAML unchanged. */
export function kubectlApply(yaml: string): string {
  return `kubectl apply -f - <<'EOF'\n${yaml.trimEnd()}\nEOF\n`
}

type NoteKind = 'info' | 'warn' | 'bad' | 'good' | 'calm'

const GLYPH: Readonly<Record<NoteKind, IconName>> = {
  info: 'info',
  warn: 'warn',
  bad: 'cross',
  good: 'check',
  calm: 'check',
}

/** A sentence that explains or warns. `alert` interrupts screen readers: only for the failed result of an action. */
export function Note(props: { readonly kind: NoteKind; readonly alert?: boolean; readonly children: ReactNode }) {
  const { kind, alert = false, children } = props
  return (
    <div role={alert ? 'alert' : 'note'} className={classes(styles['note'], styles[kind])}>
      <span className={styles['glyph']}>
        <Icon name={GLYPH[kind]} />
      </span>
      <div className="shrink-x breaks">{children}</div>
    </div>
  )
}

/** Sentences as the entries of a list. */
export const Sentences = (props: { readonly of: readonly string[]; readonly className?: string | undefined }) => (
  <ul className={props.className}>
    {props.of.map((sentence) => (
      <li key={sentence}>{format.said(sentence)}</li>
    ))}
  </ul>
)

/** What failed: missing or refused credentials are neither a missing response nor a missing permission. */
export function failureTitle(id: string, code: ErrorCode | undefined): string {
  switch (code) {
    case 'forbidden':
      return `You may not read /metrics on ${id}.`
    case 'unauthorized':
      return `${id} does not accept the credentials.`
    case 'credentials':
      return `The credentials for ${id} cannot be used.`
    case 'tls':
      return `Cannot set up a secure connection to ${id}.`
    default:
      return `${id} does not respond.`
  }
}

/** An instant without recorded data: offers the nearest ones. */
export function NothingThen({ page, moment }: OfPage & { readonly moment: Moment }) {
  const { goTo } = timeStore.getState()
  const { before, after } = moment.gap ?? {}
  const silence =
    before === undefined || after === undefined ? undefined : `${format.dateTime(before)} to ${format.dateTime(after)}`
  return (
    <EmptyState
      page={page}
      title={`Nothing was recorded at ${format.dateTime(moment.at)}.`}
      actions={
        <>
          {before !== undefined && <Button onClick={() => goTo(before)}>Last sample before</Button>}
          {after !== undefined && <Button onClick={() => goTo(after)}>First sample after</Button>}
        </>
      }
    >
      <p>
        {silence === undefined
          ? 'The recording does not cover this instant.'
          : `No sample was recorded from ${silence}: the console was off, recording was off, or the server did not respond.`}
      </p>
    </EmptyState>
  )
}

/** An etcd proxy has its own screen, and no data for the others. */
const NoApiServer = () => (
  <EmptyState
    title="The connected source is an etcd."
    actions={
      <Button primary onClick={() => openScreen('etcd')}>
        Show the etcd
      </Button>
    }
  >
    <p>It has no priority levels or flow schemas. Connect an API server for those.</p>
  </EmptyState>
)

/**
 * For all clusters of a Prometheus only a few numbers are read, for the Fleet screen; none of their servers is read in
 * full.
 */
const OnlyFleet = () => (
  <EmptyState
    title="This source lists all clusters of a Prometheus."
    actions={
      <Button primary onClick={() => openScreen('fleet')}>
        Open Fleet
      </Button>
    }
  >
    <p>The Fleet screen shows them. Open a server there to read it in full.</p>
  </EmptyState>
)

/** Links to the source and its credentials, where there is such a screen. */
export const OpenConnection = () =>
  useHasScreen('connection') && <Button onClick={() => openScreen('connection')}>Open Connection</Button>

/** Before the first sample: why there is none, if the source has already failed. */
export function NoSampleYet() {
  const moment = usePastPart((past) => past.moment)
  const connected = useConnected()
  const failing = connected?.servers.find((entry) => entry.status === 'failing')
  const problem = failing?.failures.at(-1)?.problem
  if (connected?.etcd === true) return <NoApiServer />
  if (connected !== undefined && failing === undefined && readsClusters(connected)) return <OnlyFleet />
  if (moment !== undefined) return <NothingThen moment={moment} />
  if (failing === undefined || problem === undefined) return <Loading waitingFor="the first sample" />
  return <ErrorState title={failureTitle(failing.id, problem.code)} problem={problem} actions={<OpenConnection />} />
}

interface Props {
  /** What failed, by the name that the user sees: the title of the chart or screen. */
  readonly title: string
  readonly children: ReactNode
}

interface State {
  readonly failure: Error | undefined
}

/** One broken drawing must not take down the screen. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { failure: undefined }

  static getDerivedStateFromError(thrown: unknown): State {
    return { failure: thrown instanceof Error ? thrown : new Error(String(thrown)) }
  }

  override render(): ReactNode {
    const { failure } = this.state
    if (failure === undefined) return this.props.children
    return (
      <Note kind="bad">
        <span>“{this.props.title}” could not be drawn; everything else works. </span>
        <Button small onClick={() => this.setState({ failure: undefined })}>
          Draw it again
        </Button>
        <Details text={failure.stack ?? failure.message} />
      </Note>
    )
  }
}
