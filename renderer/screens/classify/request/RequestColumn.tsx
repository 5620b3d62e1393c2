import { memo, useEffect, useMemo, useState } from 'react'
import { resolveUids } from '../../../../core/classify/builtInResources.ts'
import { landings } from '../../../../core/classify/configuration.ts'
import type { ObjectSet } from '../../../../core/config/objects.ts'
import type { DumpFrame } from '../../../../core/frame/dump.ts'
import { TextArea } from '../../../components/Field.tsx'
import { LevelChip } from '../../../components/LevelChip.tsx'
import { Note } from '../../../components/States.tsx'
import { Pane } from '../../../components/Pane.tsx'
import { Segment } from '../../../components/Button.tsx'
import { Term } from '../../../components/Term.tsx'
import { keyOfRequest } from '../../../../core/classify/recentRequests.ts'
import { rememberForm, requestStore, takeRequest, type Way } from '../../../state/request.ts'
import { format } from '../../../theme/format.ts'
import { coverageStore } from '../shared/coverageStore.ts'
import { requestWords, shortUser } from '../shared/seen.data.ts'
import { FieldsForm, SeenForm, TextForm } from './RequestForms.tsx'
import styles from './request.module.css'

const WAYS: Readonly<Record<Way, string>> = { fields: 'Fields', text: 'Text', seen: 'From dumps' }

/** A request that stays unchanged for this long is added to the recent ones. */
const RECENT_MS = 2_500

/** The request: by its parts, as a text, or from the server's dump; UIDs to resolve; recent requests. */
export function RequestColumn(props: {
  readonly objects: ObjectSet
  readonly server: string | undefined
  readonly dump: DumpFrame | undefined
}) {
  const { objects, server, dump } = props
  const { form, way, text } = requestStore()
  useEffect(() => {
    if (form.problem !== undefined) return undefined
    const timer = setTimeout(rememberForm, RECENT_MS)
    return () => clearTimeout(timer)
  }, [form])
  return (
    <div className={`${styles['left']} ruled-rows`}>
      <Pane
        title="Request"
        actions={
          <Segment
            label="Request input"
            value={way}
            options={WAYS}
            onChange={(next) => requestStore.setState({ way: next })}
          />
        }
      >
        {way === 'fields' && <FieldsForm form={form} />}
        {way === 'text' && <TextForm text={text} form={form} />}
        {way === 'seen' && <SeenForm server={server} dump={dump} />}
        <div className="pad-x pad-b-12">
          <Note kind="info">
            The matcher sees the user after impersonation and before authorization. A request that is later refused with
            403 still uses <Term id="seat">seats</Term>.
          </Note>
        </div>
      </Pane>
      <UidPane objects={objects} />
      <RecentPane objects={objects} />
    </div>
  )
}

const UidPane = memo(function UidPane({ objects }: { readonly objects: ObjectSet }) {
  const [text, setText] = useState('')
  const resolved = useMemo(() => resolveUids(objects, text), [objects, text])
  return (
    <Pane title="Resolve a UID">
      <div className={styles['form']}>
        <TextArea
          label="From a response header"
          hint={
            <>
              Paste one <Term id="resource-uid">UID</Term>, the first 8 digits of it, or all response headers.
            </>
          }
          rows={2}
          placeholder="X-Kubernetes-PF-FlowSchema-UID: …"
          value={text}
          onChange={setText}
        />
        {text.trim() !== '' && (
          <ul className="stack gap-4 leading-140" role="status">
            {resolved.length === 0 && <li className="row gap-8 breaks">This text contains no UID.</li>}
            {resolved.map(({ uid, message, found }, index) => (
              <li className="row gap-8 breaks" key={`${index} ${uid}`}>
                {found.map(({ kind, name }) =>
                  kind === 'PriorityLevelConfiguration' ? <LevelChip key={name} name={name} decorative /> : null,
                )}
                <span title={uid}>
                  {message}
                  {found.map(({ kind, name }) => (kind === 'FlowSchema' ? <Counted key={name} schema={name} /> : null))}
                </span>
              </li>
            ))}
          </ul>
        )}
      </div>
    </Pane>
  )
})

/** How many requests the schema got while Classify was open. */
function Counted({ schema }: { readonly schema: string }) {
  const requests = coverageStore(({ coverage }) => coverage.counted.get(schema)?.requests)
  const since = coverageStore(({ coverage }) => coverage.since)
  if (requests === undefined || since === undefined) return null
  return <span className={styles['quiet']}>{`, ${format.fixed(requests)} requests since ${format.time(since)}`}</span>
}

const RecentPane = memo(function RecentPane({ objects }: { readonly objects: ObjectSet }) {
  const recent = requestStore((store) => store.recent)
  const rows = useMemo(() => {
    const land = landings(objects)
    return recent.map((request) => ({ request, landed: land(request) }))
  }, [objects, recent])
  if (rows.length === 0) return null
  return (
    <Pane title="Recent">
      <ul className={styles['list']} aria-label="Recent requests">
        {rows.map(({ request, landed }) => (
          <li key={keyOfRequest(request)}>
            <button
              type="button"
              className={styles['item']}
              title={`${request.method} ${request.url}`}
              onClick={() => takeRequest(request)}
            >
              <span className={`${styles['itemText']} stack shrink-x`}>
                <span className="mono">{requestWords(request)}</span>
                <span className={styles['quiet']}>{shortUser(request.user)}</span>
              </span>
              {landed.ok && <LevelChip name={landed.priorityLevel} />}
            </button>
          </li>
        ))}
      </ul>
    </Pane>
  )
})
