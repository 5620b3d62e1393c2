import { useState } from 'react'
import type { ProxySpec } from '../../../core/contract/live.ts'
import { LOOPBACK } from '../../../core/live/proxyReach.ts'
import { Choice, TextField } from './LiveFields.tsx'
import { reachSentence, tokenHint, type ReachErrors, type ReachForm, type SettledReach } from './reach.logic.ts'
import styles from './Connect.module.css'

const TLS = [
  { value: 'none', label: 'None' },
  { value: 'generated', label: 'Generated' },
  { value: 'files', label: 'From files' },
] as const
const TOKENS = [
  { value: 'none', label: 'None' },
  { value: 'generated', label: 'Generated' },
  { value: 'file', label: 'From a file' },
] as const

const FIELDS = ['host', 'tls', 'certFile', 'keyFile', 'token', 'tokenFile', 'clientCaFile'] as const

/** Who can connect to a proxy: folded as long as it is as usual. */
export function ReachFields(props: {
  readonly form: SettledReach
  readonly identity: ProxySpec['identity']
  readonly errors: ReachErrors
  readonly onChange: (change: Partial<ReachForm>) => void
}) {
  const { form, identity, errors, onChange } = props
  const [unfolded, setUnfolded] = useState(() => form.host !== '' || form.tls === 'files' || form.token === 'file')
  // An empty path is not yet a mistake.
  const shown = (path: string, error: string | undefined): string | undefined => (path === '' ? undefined : error)
  return (
    <details
      className={styles['fold']}
      open={unfolded}
      onToggle={({ currentTarget }) => setUnfolded(currentTarget.open)}
    >
      <summary>
        Who can connect: <span>{reachSentence(form, identity)}</span>
        {!unfolded && FIELDS.some((field) => errors[field] !== undefined) && (
          <p className={styles['mistake']}>A field here is missing or invalid.</p>
        )}
      </summary>
      <div className={styles['folded']}>
        <TextField
          label="Address to listen on"
          hint="An address of this machine; 0.0.0.0 listens on all of them. Other than on loopback, TLS and a token are required."
          placeholder={LOOPBACK}
          error={errors.host}
          value={form.host}
          onChange={(host) => onChange({ host })}
        />
        <Choice
          label="TLS certificate"
          value={form.tls}
          options={TLS}
          error={errors.tls}
          onChange={(tls) => onChange({ tls })}
        />
        {form.tls === 'files' && (
          <div className={styles['pair']}>
            <TextField
              label="Path of the certificate (PEM)"
              placeholder="/etc/apf/tls.crt"
              error={shown(form.certFile, errors.certFile)}
              value={form.certFile}
              onChange={(certFile) => onChange({ certFile })}
            />
            <TextField
              label="Path of the private key (PEM)"
              placeholder="/etc/apf/tls.key"
              error={shown(form.keyFile, errors.keyFile)}
              value={form.keyFile}
              onChange={(keyFile) => onChange({ keyFile })}
            />
          </div>
        )}
        <Choice
          label="Client token"
          value={form.token}
          options={TOKENS}
          hint={form.token === 'none' ? undefined : tokenHint(form)}
          error={errors.token}
          onChange={(token) => onChange({ token })}
        />
        {form.token === 'file' && (
          <TextField
            label="Path of the token file"
            placeholder="/etc/apf/token"
            error={shown(form.tokenFile, errors.tokenFile)}
            value={form.tokenFile}
            onChange={(tokenFile) => onChange({ tokenFile })}
          />
        )}
        {form.tls !== 'none' && (
          <TextField
            label="Path of the client CA certificate (PEM)"
            hint="Used only with “Each caller’s client certificate” above."
            error={errors.clientCaFile}
            value={form.clientCaFile}
            onChange={(clientCaFile) => onChange({ clientCaFile })}
          />
        )}
      </div>
    </details>
  )
}
