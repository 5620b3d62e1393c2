import { plural } from '../../../core/text/format.ts'
import { useCallback, useState } from 'react'
import type { SourceInfo } from '../../../core/frame/frame.ts'
import type { Connected, PermissionReport, SourceSpec } from '../../../core/contract/source.ts'
import { NowLine } from '../../components/NowLine.tsx'
import { ProblemNote } from '../../components/States.tsx'
import { allFail, connectSource, useConnected } from '../../state/connection.ts'
import { useContexts } from '../../state/contexts.ts'
import { useRefusal } from '../../state/limits.ts'
import { useObjects } from '../../state/objects.ts'
import { client } from '../../state/client.ts'
import type { ScreenName } from '../../../core/contract/screens.ts'
import { openMade, openScreen } from '../../state/route.ts'
import { Button, Check } from '../../components/Button.tsx'
import { useTask, type Task } from '../../components/hooks.ts'
import { DirectPane } from './DirectPane.tsx'
import { EMPTY_FORM, formOf, formOfContext, readForm, type DirectForm } from './form.logic.ts'
import { DemoPane, FilePane, SIMULATION, SimulationPane } from './LocalPanes.tsx'
import { HealthPane } from './HealthPane.tsx'
import { EtcdPane } from './EtcdPane.tsx'
import { FeedPane } from './FeedPane.tsx'
import { ConnectedList, FoundContexts, KindList, leaveSource, Recent, type Kind } from './SourceList.tsx'
import { PermissionPane } from './PermissionPane.tsx'
import { PrometheusPane } from './PrometheusPane.tsx'
import { ProxyPane } from './ProxyPane.tsx'
import { RecorderPane } from './RecorderPane.tsx'
import styles from './Connect.module.css'

const ADDRESS_FORM: DirectForm = { ...EMPTY_FORM, method: 'urls' }

/** Where data comes from: sources, the permissions of the credential, and the health of the source. */
export function ConnectScreen() {
  const connected = useConnected()
  const [kind, setKind] = useState<Kind>(() => kindOf(connected?.spec))
  const [form, setForm] = useState<DirectForm>(() => (connected && formOf(connected.spec)) ?? EMPTY_FORM)
  const [check, startCheck, forgetCheck] = useTask<PermissionReport[]>()
  const [beside, setBeside] = useState(false)
  const { task: connecting, connect } = useConnecting(beside)
  const contexts = useContexts(form.file)
  const refused = useRefusal('sources.connect')
  // Without a kubeconfig on this machine, an untouched form begins with an address.
  const direct = form === EMPTY_FORM && contexts.found?.length === 0 ? ADDRESS_FORM : form
  const busy = connecting.state === 'busy'
  const shown = connected?.spec

  const { key: pane, onFill, onSubmitted } = useFormKey(kind, shown?.kind === kind ? connected?.id : undefined)
  const open = (spec: SourceSpec, then?: ScreenName): void => connect(spec, then, onSubmitted)

  const change = (next: DirectForm): void => {
    setForm(next)
    forgetCheck()
  }
  const onCheck = (): void => {
    const read = readForm(direct)
    if (read.ok) void startCheck(() => client().call('sources.permissions', { target: read.target }))
  }
  const onConnect = (): void => {
    const read = readForm(direct)
    if (read.ok) connect(read.spec)
  }
  return (
    <>
      <Hero
        refused={refused}
        beside={beside}
        onBeside={setBeside}
        onSimulation={() => connect(SIMULATION)}
        onFile={() => setKind('file')}
      />
      <div className={styles['columns']}>
        {refused === undefined && (
          <>
            <section className={styles['column']} aria-label="Sources" data-pane="" tabIndex={-1}>
              <ConnectedList />
              <KindList kind={kind} onChange={setKind} />
              <FoundContexts
                found={contexts.found}
                chosen={kind === 'direct' && direct.method === 'kubeconfig' ? form.context : undefined}
                onChoose={(context) => {
                  setKind('direct')
                  change(formOfContext(form, context))
                }}
              />
              <Recent key={connected?.id} onOpen={connect} />
            </section>
            <section className={styles['column']} aria-label="Settings of the source" data-pane="" tabIndex={-1}>
              {kind === 'simulation' && <SimulationPane key={pane} {...{ busy, shown, onFill }} onOpen={open} />}
              {kind === 'direct' && (
                <DirectPane {...{ form: direct, contexts, check, busy, onCheck, onConnect }} onChange={change} />
              )}
              {kind === 'prometheus' && <PrometheusPane key={pane} {...{ busy, shown, onFill }} onOpen={open} />}
              {kind === 'proxy' && (
                <ProxyPane key={pane} {...{ busy, shown, onFill }} onOpen={(spec) => open(spec, 'connection')} />
              )}
              {kind === 'feed' && (
                <FeedPane
                  key={pane}
                  {...{ busy, shown, onFill }}
                  onOpen={(spec) => open(spec, spec.feed.kind === 'audit-webhook' ? 'connection' : 'overview')}
                />
              )}
              {kind === 'etcd' && (
                <EtcdPane key={pane} {...{ busy, shown, onFill }} onOpen={(spec) => open(spec, 'etcd')} />
              )}
              {kind === 'file' && <FilePane busy={busy} onOpen={connect} />}
              {kind === 'demo' && <DemoPane {...{ busy, shown }} onOpen={connect} />}
              {connecting.state === 'failed' && (
                <div className="stack gap-8 pad-x pad-y-10" ref={intoView}>
                  <ProblemNote problem={connecting.problem} alert />
                </div>
              )}
              {connected !== undefined && check.state !== 'idle' && <HealthPane connection={connected} />}
            </section>
          </>
        )}
        <section className={styles['column']} aria-label="Health and permissions" data-pane="" tabIndex={-1}>
          {connected !== undefined && check.state === 'idle' && <HealthPane connection={connected} />}
          {connected !== undefined && <RecorderPane connection={connected.id} />}
          {refused === undefined && <PermissionPane kind={kind} check={check} onCheck={onCheck} />}
        </section>
      </div>
    </>
  )
}

/** The form may be longer than the screen, and the reason is below it. */
const intoView = (note: HTMLElement | null): void => note?.scrollIntoView?.({ block: 'nearest' })

/** The initial kind: a reader who views an example most likely intends to connect a cluster next. */
function kindOf(spec: SourceSpec | undefined): Kind {
  if (spec === undefined) return 'direct'
  const kinds = {
    simulation: 'direct',
    scrape: 'direct',
    prometheus: 'prometheus',
    files: 'file',
    demo: 'direct',
    recording: 'direct',
    run: 'direct',
    proxy: 'proxy',
    feed: 'feed',
    etcd: 'etcd',
  } as const
  return kinds[spec.kind]
}

const WHAT_IT_DOES: Readonly<Partial<Record<SourceInfo['kind'], string>>> = {
  simulation: 'It runs on this machine;',
  proxy: 'It ends with this connection;',
  feed: 'Nothing reaches the server;',
  etcd: 'The console changes its rules only;',
}

interface FormKey {
  /** React key of the form: another key resets it. */
  readonly key: string
  /** Called when the reader fills something in. */
  readonly onFill: () => void
  /** Called when the form as filled in is connected. */
  readonly onSubmitted: () => void
}

/**
 * A form resets when a connection of its kind, which it shows, begins or ends. A changed form survives both until it is
 * submitted or another kind is chosen.
 */
function useFormKey(kind: Kind, connection: number | undefined): FormKey {
  const [{ form, of, filled }, set] = useState({ form: kind, of: connection, filled: false })
  if (form !== kind || (of !== connection && !filled)) set({ form: kind, of: connection, filled: false })
  const onFill = useCallback(() => set((old) => ({ ...old, filled: true })), [])
  const onSubmitted = useCallback(() => set((old) => ({ ...old, filled: false })), [])
  return { key: `${form} ${String(of)}`, onFill, onSubmitted }
}

interface HeroProps {
  /** Why nothing else can be connected here, if so. */
  readonly refused: string | undefined
  /** Whether another source is connected alongside this one rather than in its place. */
  readonly beside: boolean
  readonly onBeside: (beside: boolean) => void
  readonly onSimulation: () => void
  readonly onFile: () => void
}

function Hero({ refused, beside, onBeside, onSimulation, onFile }: HeroProps) {
  const connected = useConnected()
  const editing = useObjects()?.editing.state === 'on'
  if (connected !== undefined) {
    const { source, servers, etcd } = connected
    return (
      <NowLine
        title={`${allFail(servers) ? 'Cannot read' : 'Connected to'} ${source.name}`}
        evidence={`${plural(servers.length, 'One server', `${servers.length} servers`)}, ${source.via}. ${WHAT_IT_DOES[source.kind] ?? (editing ? 'Editing is on;' : 'APF Console only reads;')} ${
          refused ??
          (beside
            ? 'the next source that you select below is added.'
            : 'choose another source below to leave this one.')
        }`}
        actions={
          <>
            {refused === undefined && (
              <>
                <Check label="Keep this source connected" checked={beside} onChange={onBeside} />
                <Button onClick={onFile}>Open files</Button>
                <Button onClick={() => leaveSource(connected)}>Disconnect</Button>
              </>
            )}
            <Button primary onClick={() => openScreen(etcd === true ? 'etcd' : 'overview')}>
              {etcd === true ? 'Show the etcd' : 'Show the overview'}
            </Button>
          </>
        }
      />
    )
  }
  return (
    <NowLine
      title="Connect to an API server"
      evidence="APF Console only reads until you switch editing on. It needs few permissions, and names what it cannot show without one of them."
      actions={
        <>
          <Button onClick={onFile}>Open files</Button>
          <Button primary onClick={onSimulation}>
            Explore a simulated cluster
          </Button>
        </>
      }
    />
  )
}

interface Connecting {
  readonly task: Task<Connected>
  /**
   * Connects; on success calls `done` and opens the screen in `then`, or the first one of the source, unless the user
   * has left. A source that takes time to create is a function.
   */
  readonly connect: (spec: SourceSpec | (() => Promise<SourceSpec>), then?: ScreenName, done?: () => void) => void
}

function useConnecting(beside: boolean): Connecting {
  const [task, start] = useTask<Connected>()
  const connect = async (
    spec: SourceSpec | (() => Promise<SourceSpec>),
    then: ScreenName | undefined,
    done: (() => void) | undefined,
  ): Promise<void> => {
    const make = async () => connectSource(typeof spec === 'function' ? await spec() : spec, beside)
    if (await start(() => openMade(make, then))) done?.()
  }
  return { task, connect: (spec, then, done) => void connect(spec, then, done) }
}
