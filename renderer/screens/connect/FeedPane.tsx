import { useState } from 'react'
import type { FeedSpec } from '../../../core/contract/live.ts'
import { Copy } from '../../components/Button.tsx'
import { formFields, onceFilled, TextField } from '../../components/Field.tsx'
import { Note } from '../../components/States.tsx'
import { Pane } from '../../components/Pane.tsx'
import { useContexts } from '../../state/contexts.ts'
import {
  Choice,
  ContextFields,
  LimitFields,
  StartButton,
  useForm,
  useLiveAddress,
  type SourcePaneProps,
} from './fields.tsx'
import { feedFormOf, feedSentence, readFeedForm, type FeedForm } from './live.logic.ts'
import styles from './Connect.module.css'

const KINDS = { 'audit-file': 'Audit log', 'audit-webhook': 'Audit webhook', httplog: '-v=3 log' }
const FOLLOW = { follow: 'Follow it', once: 'Read it once' }
const CLUSTERS = { cluster: 'The server’s', 'built-in': 'Built-in' }

export function FeedPane({ busy, shown, onOpen, onFill }: SourcePaneProps<FeedSpec>) {
  const [asked, setForm] = useForm(() => feedFormOf(shown), onFill)
  const [choseObjects, setChoseObjects] = useState(shown?.kind === 'feed')
  const contexts = useContexts(asked.file)
  // Without a kubeconfig to reach a server with, the log is enough until the reader chooses otherwise.
  const noCluster = contexts.found?.length === 0 && asked.file === ''
  const form = noCluster && !choseObjects ? { ...asked, withCluster: false } : asked
  const read = readFeedForm(form)
  const errors = read.ok ? {} : read.errors
  const change = (part: Partial<FeedForm>): void => setForm({ ...form, ...part })
  const field = formFields(form, errors, setForm)
  return (
    <>
      {shown?.kind === 'feed' && <FeedAddress />}
      <Pane title="Audit or log feed">
        <div className={styles['form']}>
          <Choice label="Kind of feed" options={KINDS} {...field('kind')} />
          {form.kind === 'audit-webhook' ? (
            <TextField label="Port on 127.0.0.1" placeholder="any free port" kind="number" {...field('port')} />
          ) : (
            <>
              <TextField
                label="Path of the file on this machine"
                placeholder={form.kind === 'httplog' ? '/var/log/kube-apiserver.log' : '/var/log/kubernetes/audit.log'}
                {...onceFilled(field('path'))}
              />
              <Choice
                label="End of the file"
                value={form.follow ? 'follow' : 'once'}
                options={FOLLOW}
                onChange={(end) => change({ follow: end === 'follow' })}
              />
            </>
          )}
          <Choice
            label="Objects and object counts"
            value={form.withCluster ? 'cluster' : 'built-in'}
            options={CLUSTERS}
            onChange={(from) => {
              setChoseObjects(true)
              change({ withCluster: from === 'cluster' })
            }}
          />
          {form.withCluster && (
            <div className="stack top halves gap-10">
              <ContextFields file={form.file} context={form.context} contexts={contexts} onChange={change} />
            </div>
          )}
          <LimitFields form={form} errors={errors} onChange={setForm} />
          <Note kind="info">{feedSentence(form)}</Note>
          <StartButton
            what="feed"
            runs={shown?.kind === 'feed'}
            busy={busy}
            onStart={read.ok ? () => onOpen(read.spec) : undefined}
          />
        </div>
      </Pane>
    </>
  )
}

/** The address of a webhook, to which the API server posts. */
function FeedAddress() {
  const { address } = useLiveAddress()
  if (address === undefined) return null
  return (
    <Pane title="Address for the API server" actions={<Copy text={address} label="Copy the address" />}>
      <div className={styles['form']}>
        <p className="mono">{address}</p>
        <p className="prose muted">
          The API server also needs the token and the certificate. “Health of the source” names a file with all three,
          for --audit-webhook-config-file.
        </p>
      </div>
    </Pane>
  )
}
