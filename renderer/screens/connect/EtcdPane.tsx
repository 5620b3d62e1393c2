import { EtcdSpecSchema, type EtcdSpec } from '../../../core/contract/etcd.ts'
import { Button, Copy } from '../../components/Button.tsx'
import { TextField } from '../../components/Field.tsx'
import { Pane } from '../../components/Pane.tsx'
import { useForm, type SourcePaneProps } from './fields.tsx'
import styles from './Connect.module.css'

const COMMAND = 'apf-console etcd-proxy --upstream http://127.0.0.1:2379 --port 2381'
const STORY: EtcdSpec = EtcdSpecSchema.parse({ kind: 'etcd', of: { kind: 'story' } })

/** A proxy in front of an etcd, started on the command line, or a simulated one. */
export function EtcdPane({ busy, shown, onOpen, onFill }: SourcePaneProps<EtcdSpec>) {
  const known = shown?.kind === 'etcd' && shown.of.kind === 'proxy' ? (shown.of.name ?? '') : ''
  const [name, setName] = useForm(() => known, onFill)
  const wanted = name.trim()
  return (
    <Pane title="etcd proxy">
      <div className={styles['form']}>
        <p className={styles['note']}>
          The proxy stands in front of one member of an etcd and limits expensive or unimportant requests by rules.
          Start it on this machine, point the clients of etcd at it, and connect it here to watch it and to edit its
          rules.
        </p>
        <div className={styles['buttons']}>
          <code className="mono">{COMMAND}</code>
          <Copy text={COMMAND} label="Copy the command" />
        </div>
        <TextField
          label="Name of the proxy"
          hint="Leave empty when only one runs."
          placeholder="default"
          value={name}
          onChange={setName}
        />
        <div className={styles['buttons']}>
          <Button
            primary
            disabled={busy}
            onClick={() => onOpen({ kind: 'etcd', of: { kind: 'proxy', ...(wanted !== '' && { name: wanted }) } })}
          >
            {busy ? 'Connecting…' : 'Connect the proxy'}
          </Button>
          <Button disabled={busy} onClick={() => onOpen(STORY)}>
            Explore a simulated etcd
          </Button>
        </div>
      </div>
    </Pane>
  )
}
