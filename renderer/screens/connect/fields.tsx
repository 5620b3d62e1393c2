import { useEffect, useState } from 'react'
import type { Cadence } from '../../../core/contract/source.ts'
import type { LiveState } from '../../../core/contract/live.ts'
import { Field, inputClass, monoInputClass } from '../../components/Field.tsx'
import { Segment } from '../../components/Segment.tsx'
import { Term } from '../../components/Term.tsx'
import type { Contexts } from '../../state/contexts.ts'
import { client } from '../../state/client.ts'
import { useConnected } from '../../state/connection.ts'
import type { EngineForm } from './live.logic.ts'
import styles from './Connect.module.css'
import { DUMP_INTERVALS, INTERVALS, intervalText } from './form.logic.ts'

export interface TextFieldProps {
  readonly label: string
  readonly hint?: string
  readonly error?: string | undefined
  readonly value: string
  readonly placeholder?: string
  readonly numeric?: boolean
  /** Not shown while it is typed, and kept by no browser. */
  readonly secret?: boolean
  readonly onChange: (value: string) => void
}

/** One line of text. */
export function TextField({ label, hint, error, value, placeholder, numeric, secret, onChange }: TextFieldProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(attributes) => (
        <input
          {...attributes}
          className={numeric === true ? inputClass : monoInputClass}
          spellCheck={false}
          type={secret === true ? 'password' : 'text'}
          autoComplete="off"
          inputMode={numeric === true ? 'numeric' : undefined}
          placeholder={placeholder}
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  )
}

/** A few choices side by side under a word that says what of. */
export function Choice<V extends string>(
  props: Parameters<typeof Segment<V>>[0] & {
    readonly hint?: string | undefined
    readonly error?: string | undefined
  },
) {
  const { hint, error, ...segment } = props
  return (
    <div className={styles['choice']}>
      <span aria-hidden="true">{segment.label}</span>
      <Segment {...segment} />
      {(error ?? hint) !== undefined && (
        <p role="status" className={styles[error === undefined ? 'hint' : 'mistake']}>
          {error ?? hint}
        </p>
      )}
    </div>
  )
}

/** Which cluster, by its kubeconfig. */
export function ContextFields(props: {
  readonly file: string
  readonly context: string
  readonly contexts: Contexts
  readonly onChange: (change: { readonly file?: string; readonly context?: string }) => void
}) {
  const { file, context, contexts, onChange } = props
  const found = contexts.found ?? []
  const current = found.find((one) => one.current)
  const chosen = found.find((one) => one.context === context) ?? current
  return (
    <div className={styles['pair']}>
      <Field
        label="kubeconfig context"
        hint={chosen === undefined ? undefined : `${chosen.server} as ${chosen.user}`}
        error={chosen?.problem === undefined ? undefined : `This context cannot be used. ${chosen.problem}`}
      >
        {(attributes) => (
          <select
            {...attributes}
            className={monoInputClass}
            value={context}
            onChange={({ target }) => onChange({ context: target.value })}
          >
            <option value="">{current === undefined ? 'current context' : `${current.context} (current)`}</option>
            {found
              .filter((one) => one !== current)
              .map((one) => (
                <option key={`${one.file} ${one.context}`} value={one.context}>
                  {one.context}
                </option>
              ))}
          </select>
        )}
      </Field>
      <TextField
        label="Path of another kubeconfig"
        hint="Empty: KUBECONFIG or ~/.kube/config."
        error={contexts.problem?.message}
        value={file}
        onChange={(next) => onChange({ file: next, context: '' })}
      />
    </div>
  )
}

/** The two flags of the server, whose sum is what flow control distributes. */
export function LimitFields<F extends EngineForm>(props: {
  readonly form: F
  readonly errors: Partial<Record<keyof EngineForm, string>>
  /** What an empty field stands for. */
  readonly placeholder?: string
  readonly onChange: (form: F) => void
}) {
  const { form, errors, placeholder = '', onChange } = props
  return (
    <>
      <div className={styles['pair']}>
        <TextField
          label="Requests in flight"
          numeric
          placeholder={placeholder}
          error={errors.maxRequestsInFlight}
          value={form.maxRequestsInFlight}
          onChange={(maxRequestsInFlight) => onChange({ ...form, maxRequestsInFlight })}
        />
        <TextField
          label="Mutating requests in flight"
          numeric
          placeholder={placeholder}
          error={errors.maxMutatingRequestsInFlight}
          value={form.maxMutatingRequestsInFlight}
          onChange={(maxMutatingRequestsInFlight) => onChange({ ...form, maxMutatingRequestsInFlight })}
        />
      </div>
      <p className={styles['note']}>
        As --max-requests-inflight and --max-mutating-requests-inflight of the server; their sum is distributed in{' '}
        <Term id="seat">seats</Term>. Smaller ones show what happens when seats run out.
      </p>
    </>
  )
}

/** How often metrics and debug dumps are read. */
export function CadenceFields(props: Cadence & { readonly onChange: (cadence: Cadence) => void }) {
  const { intervalMs, dumpsEveryMs, onChange } = props
  return (
    <div className={styles['pair']}>
      <Field label="Metrics every">
        {(attributes) => (
          <select
            {...attributes}
            className={inputClass}
            value={String(intervalMs)}
            onChange={({ target }) => onChange({ intervalMs: Number(target.value), dumpsEveryMs })}
          >
            {choices(INTERVALS, intervalMs).map((ms) => (
              <option key={ms} value={String(ms)}>
                {intervalText(ms)}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Debug dumps every">
        {(attributes) => (
          <select
            {...attributes}
            className={inputClass}
            value={String(dumpsEveryMs)}
            onChange={({ target }) =>
              onChange({ intervalMs, dumpsEveryMs: target.value === 'null' ? null : Number(target.value) })
            }
          >
            {choices(DUMP_INTERVALS, dumpsEveryMs).map((ms) => (
              <option key={ms} value={String(ms)}>
                {intervalText(ms)}
              </option>
            ))}
          </select>
        )}
      </Field>
    </div>
  )
}

/** The usual choices, with the present one among them whatever it is. */
const choices = <T extends number | null>(usual: readonly T[], present: T): readonly T[] =>
  usual.includes(present) ? usual : [present, ...usual]

type LiveAddress = Pick<Partial<LiveState>, 'address' | 'clientKubeconfig'>

/** Where clients of the connected proxy, or the server of the connected webhook, connect to; empty until it is known. */
export function useLiveAddress(): LiveAddress {
  const [known, setKnown] = useState<LiveAddress>({})
  const connection = useConnected()?.id
  useEffect(() => {
    setKnown({})
    if (connection === undefined) return undefined
    return client().subscribe('liveState', { connection }, ({ address, clientKubeconfig }) =>
      // It is told each second and changes with the connection only.
      setKnown((before) =>
        before.address === address && before.clientKubeconfig === clientKubeconfig
          ? before
          : {
              ...(address !== undefined && { address }),
              ...(clientKubeconfig !== undefined && { clientKubeconfig }),
            },
      ),
    )
  }, [connection])
  return known
}
