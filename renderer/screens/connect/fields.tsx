import { Fragment, useCallback, useEffect, useState, type Dispatch, type SetStateAction } from 'react'
import { PAST_MS, pastFromPrometheus, type PrometheusPast } from '../../../core/contract/prometheus.ts'
import type { Cadence, SourceSpec } from '../../../core/contract/source.ts'
import type { LiveState } from '../../../core/contract/live.ts'
import { ALGORITHM_OPTIONS } from '../../../core/engine/profiles.ts'
import { choices, formFields, SelectField, TextField } from '../../components/Field.tsx'
import { Button, Buttons, Segment } from '../../components/Button.tsx'
import { Term } from '../../components/Term.tsx'
import type { Contexts } from '../../state/contexts.ts'
import { client } from '../../state/client.ts'
import { useConnected, useConnection } from '../../state/connection.ts'
import type { EngineForm } from './live.logic.ts'
import type { Fact } from './reports.data.ts'
import styles from './Connect.module.css'
import { DUMP_INTERVALS, INTERVALS, intervalText } from './form.logic.ts'
import { PASTS } from './prometheus.logic.ts'

/** Props of the form of a source kind. */
export interface SourcePaneProps<S extends SourceSpec = SourceSpec> {
  readonly busy: boolean
  /** The source that the console shows already. */
  readonly shown: SourceSpec | undefined
  readonly onOpen: (spec: S) => void
  /** Called when the reader changes the form, which then survives other connections until it is submitted. */
  readonly onFill: () => void
}

/** The state of a form, whose changes are reported to `onFill`. */
export function useForm<F>(begin: () => F, onFill: () => void): [F, Dispatch<SetStateAction<F>>] {
  const [form, setForm] = useState(begin)
  const change = useCallback(
    (next: SetStateAction<F>) => {
      onFill()
      setForm(next)
    },
    [onFill],
  )
  return [form, change]
}

/** A few choices side by side under a label. */
export function Choice<V extends string>(
  props: Parameters<typeof Segment<V>>[0] & {
    readonly hint?: string | undefined
    readonly error?: string | undefined
  },
) {
  const { hint, error, ...segment } = props
  return (
    <div className="stack at-start gap-4">
      <span className="small muted" aria-hidden="true">
        {segment.label}
      </span>
      <Segment {...segment} />
      {(error ?? hint) !== undefined && (
        <p role="status" className={`tiny leading-140 ${error === undefined ? 'faint' : 'bad'}`}>
          {error ?? hint}
        </p>
      )}
    </div>
  )
}

/** Opens a source of this machine, or opens it anew with other settings. */
export function StartButton(props: {
  readonly what: string
  readonly runs: boolean
  readonly busy: boolean
  /** Absent while the form has mistakes. */
  readonly onStart: (() => void) | undefined
}) {
  const { what, runs, busy, onStart } = props
  return (
    <Buttons>
      <Button primary={!runs} disabled={busy || onStart === undefined} onClick={() => onStart?.()}>
        {busy ? 'Starting…' : `${runs ? 'Restart' : 'Start'} the ${what}`}
      </Button>
    </Buttons>
  )
}

/** The cluster, by its kubeconfig: context and file. */
export function ContextFields(props: {
  readonly file: string
  readonly context: string
  readonly contexts: Contexts
  /** A sentence below the context, after its server and user. */
  readonly note?: string
  readonly onChange: (change: { readonly file?: string; readonly context?: string }) => void
}) {
  const { file, context, contexts, note, onChange } = props
  const found = contexts.found ?? []
  const current = found.find((one) => one.current)
  const chosen = found.find((one) => one.context === context) ?? current
  const server = chosen && `${chosen.server} as ${chosen.user}`
  return (
    <>
      <SelectField
        label="kubeconfig context"
        hint={server === undefined || note === undefined ? (server ?? note) : `${server}. ${note}`}
        error={chosen?.problem === undefined ? undefined : `This context cannot be used. ${chosen.problem}`}
        mono
        value={context}
        options={[
          ['', current === undefined ? 'current context' : `${current.context} (current)`],
          ...found.filter((one) => one !== current).map((one) => one.context),
        ]}
        onChange={(next) => onChange({ context: next })}
      />
      <TextField
        label="Path of another kubeconfig"
        hint="Empty: KUBECONFIG or ~/.kube/config."
        error={contexts.problem?.message}
        value={file}
        onChange={(next) => onChange({ file: next, context: '' })}
      />
    </>
  )
}

/** The Prometheus from which the time before the connection is read, and how much of it. */
export function PastFields(props: {
  readonly past: PrometheusPast | undefined
  readonly onChange: (past: PrometheusPast | undefined) => void
}) {
  const { past, onChange } = props
  const { connections } = useConnection()
  const connected = connections.flatMap(({ spec }) =>
    spec.kind === 'prometheus' ? { ...pastFromPrometheus(spec), pastMs: spec.pastMs || PAST_MS.default } : [],
  )
  const others = connected.filter(({ url }) => url !== past?.url)
  const sources = past === undefined ? others : [past, ...others]
  return (
    <div className="stack top halves gap-10">
      <SelectField
        label="History from"
        hint={
          sources.length === 0
            ? 'A Prometheus that scrapes the same servers can fill it. Connect to it first, alongside this source.'
            : undefined
        }
        value={past?.url ?? ''}
        options={[['', 'nowhere'], ...sources.map(({ url }) => url)]}
        onChange={(url) => onChange(sources.find((one) => one.url === url))}
      />
      {past !== undefined && (
        <SelectField
          label="Read back"
          value={String(past.pastMs)}
          options={PASTS.filter(([ms]) => ms !== '0')}
          onChange={(ms) => onChange({ ...past, pastMs: Number(ms) })}
        />
      )}
    </div>
  )
}

/** Settings of the engine: the two flags of the server, whose sum flow control distributes, and the algorithm. */
export function LimitFields<F extends EngineForm>(props: {
  readonly form: F
  readonly errors: Partial<Record<keyof EngineForm, string>>
  /** The default of an empty field. */
  readonly placeholder?: string
  readonly onChange: (form: F) => void
}) {
  const { form, errors, placeholder = '', onChange } = props
  const field = formFields<EngineForm>(form, errors, (to) => onChange({ ...form, ...to(form) }))
  return (
    <>
      <div className="stack top halves gap-10">
        <TextField
          label="Requests in flight"
          kind="number"
          placeholder={placeholder}
          {...field('maxRequestsInFlight')}
        />
        <TextField
          label="Mutating requests in flight"
          kind="number"
          placeholder={placeholder}
          {...field('maxMutatingRequestsInFlight')}
        />
      </div>
      <p className="prose muted">
        As --max-requests-inflight and --max-mutating-requests-inflight of the server; their sum is distributed in{' '}
        <Term id="seat">seats</Term>. Lower values show what happens when seats run out.
      </p>
      <SelectField label="Algorithm" options={ALGORITHM_OPTIONS} {...field('algorithm')} />
    </>
  )
}

export function CadenceFields(props: Cadence & { readonly onChange: (cadence: Cadence) => void }) {
  const { intervalMs, dumpsEveryMs, onChange } = props
  return (
    <div className="stack top halves gap-10">
      <SelectField
        label="Metrics every"
        value={String(intervalMs)}
        options={choices(INTERVALS, intervalMs, intervalText)}
        onChange={(next) => onChange({ intervalMs: Number(next), dumpsEveryMs })}
      />
      <SelectField
        label="Debug dumps every"
        value={String(dumpsEveryMs)}
        options={choices(DUMP_INTERVALS, dumpsEveryMs, intervalText)}
        onChange={(next) => onChange({ intervalMs, dumpsEveryMs: next === 'null' ? null : Number(next) })}
      />
    </div>
  )
}

type LiveAddress = Pick<Partial<LiveState>, 'address' | 'clientKubeconfig'>

/**
 * The address for clients of the connected proxy, or for the server of the connected webhook; empty until it is known.
 */
export function useLiveAddress(): LiveAddress {
  const [known, setKnown] = useState<LiveAddress & { readonly of?: number }>({})
  const connection = useConnected()?.id
  useEffect(() => {
    if (connection === undefined) return undefined
    return client().subscribe('liveState', { connection }, ({ address, clientKubeconfig }) =>
      // It is reported each second but changes only with the connection.
      setKnown((before) =>
        before.of === connection && before.address === address && before.clientKubeconfig === clientKubeconfig
          ? before
          : {
              of: connection,
              ...(address !== undefined && { address }),
              ...(clientKubeconfig !== undefined && { clientKubeconfig }),
            },
      ),
    )
  }, [connection])
  return known.of === connection ? known : NOTHING
}

const NOTHING: LiveAddress = {}

/** Facts, by name. */
export function FactList({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl className={styles['facts']}>
      {facts.map((fact) => (
        <Fragment key={fact.label}>
          <dt className="muted">{fact.label}</dt>
          <dd className={fact.tone}>{fact.value}</dd>
        </Fragment>
      ))}
    </dl>
  )
}
