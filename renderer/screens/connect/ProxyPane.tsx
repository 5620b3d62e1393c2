import { useEffect, useRef, useState } from 'react'
import {
  lendingSentence,
  lendsCredentials,
  LOOPBACK,
  reachOf,
  tryCommand,
  wantsToken,
} from '../../../core/live/proxyReach.ts'
import type { ProxySpec } from '../../../core/contract/live.ts'
import { Buttons, Copy } from '../../components/Button.tsx'
import { formFields, onceFilled, SelectField, TextField } from '../../components/Field.tsx'
import { Note, Preformatted } from '../../components/States.tsx'
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
import { lenderOf, proxyFormOf, proxySentence, readProxyForm, settledReach, type ProxyForm } from './live.logic.ts'
import { knowsCertificates, tokenHint, type SettledReach, reachSentence, type ReachErrors } from './reach.logic.ts'
import styles from './Connect.module.css'

const UPSTREAMS = { kubeconfig: 'kubeconfig', url: 'Any HTTP server' }
const MODES = { observe: 'Observe', enforce: 'Enforce' }
const STREAMS = { refused: 'Refused', allowed: 'Allowed' }
const OBJECTS = { upstream: 'The server’s', 'built-in': 'Built-in' }
const IDENTITIES: readonly (readonly [ProxyForm['identity'], string])[] = [
  ['kubeconfig', 'All callers act as the user of the kubeconfig'],
  ['token', 'Each caller’s own bearer token'],
  ['certificate', 'Each caller’s client certificate'],
  ['headers', 'X-Remote-User and X-Remote-Group headers, for tests'],
]

/** A proxy in front of a server: its settings, and its address for clients once it runs. */
export function ProxyPane({ busy, shown, onOpen, onFill }: SourcePaneProps<ProxySpec>) {
  const [form, setForm] = useForm(() => proxyFormOf(shown), onFill)
  const contexts = useContexts(form.file)
  const read = readProxyForm(form)
  const errors = read.ok ? {} : read.errors
  const reach = settledReach(form)
  const lends = lendsCredentials(lenderOf(form))
  const change = (part: Partial<ProxyForm>): void => setForm({ ...form, ...part })
  const field = formFields(form, errors, setForm)
  const identities = IDENTITIES.filter(
    ([identity]) => identity !== 'certificate' || form.identity === identity || knowsCertificates(reach),
  )
  return (
    <>
      {shown?.kind === 'proxy' && <ProxyAddress spec={shown} />}
      <Pane title="Live proxy">
        <div className={styles['form']}>
          <Choice label="Server behind the proxy" options={UPSTREAMS} {...field('upstream')} />
          {form.upstream === 'kubeconfig' ? (
            <div className="stack top halves gap-10">
              <ContextFields file={form.file} context={form.context} contexts={contexts} onChange={change} />
            </div>
          ) : (
            <TextField
              label="Address of the server"
              placeholder="http://127.0.0.1:8001"
              {...onceFilled(field('url'))}
            />
          )}
          <Choice label="Mode" options={MODES} {...field('mode')} />
          <SelectField
            label="Identity of callers"
            hint={form.identity === 'token' ? tokenHint(reach) : undefined}
            options={identities}
            {...field('identity')}
          />
          <div className="stack top halves gap-10">
            <Choice label="Initial objects" options={OBJECTS} {...field('objects')} />
            <TextField
              label={`Port on ${form.host.trim() || LOOPBACK}`}
              placeholder="any free port"
              kind="number"
              {...field('port')}
            />
          </div>
          <ReachFields form={reach} identity={form.identity} errors={errors} field={field} />
          {lends && (
            <Choice
              label="exec, attach, port-forward and proxy"
              value={form.allowExec ? 'allowed' : 'refused'}
              options={STREAMS}
              onChange={(streams) => change({ allowExec: streams === 'allowed' })}
            />
          )}
          <LimitFields form={form} errors={errors} placeholder="as the server" onChange={setForm} />
          <Note kind="info">{proxySentence(form, contexts.found ?? [])}</Note>
          {lends && <Note kind={reach.token === 'none' ? 'warn' : 'info'}>{lending(form, reach)}</Note>}
          <StartButton
            what="proxy"
            runs={shown?.kind === 'proxy'}
            busy={busy}
            onStart={read.ok ? () => onOpen(read.spec) : undefined}
          />
        </div>
      </Pane>
    </>
  )
}

/** The identity whose permissions the clients get. */
const lending = (form: ProxyForm, { token }: SettledReach): string | undefined =>
  lendingSentence({
    ...lenderOf(form),
    listen: { token: token === 'file' ? { kind: token, file: form.tokenFile } : { kind: token } },
  })

/** The address for clients, and a command to try it. */
function ProxyAddress({ spec }: { readonly spec: ProxySpec }) {
  const { address, clientKubeconfig } = useLiveAddress()
  const place = useRef<HTMLDivElement>(null)
  // After starting the proxy, the reader is still at the end of the form.
  useEffect(() => {
    if (address !== undefined) place.current?.scrollIntoView?.({ block: 'nearest' })
  }, [address])
  if (address === undefined) return null
  const command = tryCommand({
    identity: spec.identity,
    token: wantsToken(reachOf(spec)),
    address,
    clientKubeconfig,
  })
  return (
    <div ref={place}>
      <Pane title="Address for clients" actions={<Copy text={address} label="Copy the address" />}>
        <div className={styles['form']}>
          <p className="mono">{address}</p>
          <Preformatted text={command} label="Example command" />
          <Buttons>
            <Copy text={command} label="Copy the command" />
          </Buttons>
          <p className="prose muted">
            Edits apply to this proxy’s engine immediately and do not change the server behind it.
          </p>
        </div>
      </Pane>
    </div>
  )
}

const TLS = { none: 'None', generated: 'Generated', files: 'From files' }
const TOKENS = { none: 'None', generated: 'Generated', file: 'From a file' }

const FIELDS = ['host', 'tls', 'certFile', 'keyFile', 'token', 'tokenFile', 'clientCaFile'] as const

/** Who can connect to a proxy: collapsed while the settings are the defaults. */
function ReachFields(props: {
  readonly form: SettledReach
  readonly identity: ProxySpec['identity']
  readonly errors: ReachErrors
  readonly field: ReturnType<typeof formFields<ProxyForm>>
}) {
  const { form, identity, errors, field } = props
  const [unfolded, setUnfolded] = useState(() => form.host !== '' || form.tls === 'files' || form.token === 'file')
  return (
    <details
      className={styles['fold']}
      open={unfolded}
      onToggle={({ currentTarget }) => setUnfolded(currentTarget.open)}
    >
      <summary>
        Who can connect: <span>{reachSentence(form, identity)}</span>
        {!unfolded && FIELDS.some((name) => errors[name] !== undefined) && (
          <p className="tiny leading-140 bad">A field here is missing or invalid.</p>
        )}
      </summary>
      <div className={styles['folded']}>
        <TextField
          label="Address to listen on"
          hint="An address of this machine; 0.0.0.0 listens on all of them. Other than on loopback, TLS and a token are required."
          placeholder={LOOPBACK}
          {...field('host')}
        />
        <Choice label="TLS certificate" options={TLS} {...field('tls')} value={form.tls} />
        {form.tls === 'files' && (
          <div className="stack top halves gap-10">
            <TextField
              label="Path of the certificate (PEM)"
              placeholder="/etc/apf/tls.crt"
              {...onceFilled(field('certFile'))}
            />
            <TextField
              label="Path of the private key (PEM)"
              placeholder="/etc/apf/tls.key"
              {...onceFilled(field('keyFile'))}
            />
          </div>
        )}
        <Choice
          label="Client token"
          options={TOKENS}
          hint={form.token === 'none' ? undefined : tokenHint(form)}
          {...field('token')}
          value={form.token}
        />
        {form.token === 'file' && (
          <TextField label="Path of the token file" placeholder="/etc/apf/token" {...onceFilled(field('tokenFile'))} />
        )}
        {form.tls !== 'none' && (
          <TextField
            label="Path of the client CA certificate (PEM)"
            hint="Used only with “Each caller’s client certificate” above."
            {...field('clientCaFile')}
          />
        )}
      </div>
    </details>
  )
}
