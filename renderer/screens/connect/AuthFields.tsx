import { formFields, onceFilled, TextField } from '../../components/Field.tsx'
import { Choice } from './fields.tsx'
import type { AuthErrors, AuthForm } from './form.logic.ts'

const KINDS = { token: 'Token', basic: 'Password', certificate: 'Certificate' }

const VERIFY = { verify: 'Verify', skip: 'Skip' }

/** Credentials for addresses, and the trusted certificates of their servers. */
export function AuthFields(props: {
  readonly form: AuthForm
  readonly errors: AuthErrors
  /** Whether any of the addresses is https://. */
  readonly tls: boolean
  readonly onChange: (change: Partial<AuthForm>) => void
}) {
  const { form, errors, tls, onChange } = props
  const field = formFields(form, errors, (to) => onChange(to(form)))
  const typed = (name: 'token' | 'username' | 'password' | 'clientCertificate' | 'clientKey', label: string) => (
    <TextField
      label={label}
      type={name === 'token' || name === 'password' ? 'password' : 'text'}
      {...onceFilled(field(name))}
    />
  )
  return (
    <>
      <Choice label="Authentication" options={KINDS} hint={HINTS[form.kind]} {...field('kind')} />
      {form.kind === 'token' && typed('token', 'Bearer token')}
      {form.kind === 'basic' && (
        <div className="stack top halves gap-10">
          {typed('username', 'User name')}
          {typed('password', 'Password')}
        </div>
      )}
      {form.kind === 'certificate' && (
        <div className="stack top halves gap-10">
          {typed('clientCertificate', 'Path of the client certificate')}
          {typed('clientKey', 'Path of its key')}
        </div>
      )}
      {tls && (
        <div className="stack top halves gap-10">
          <TextField
            label="Path of the certificate authority"
            hint="PEM. Empty: the authorities of this machine."
            {...field('certificateAuthority')}
          />
          <Choice
            label="Server certificate"
            value={form.insecure ? 'skip' : 'verify'}
            options={VERIFY}
            hint={
              form.insecure
                ? 'Anyone on the network path can read the credentials. Use for test servers only.'
                : undefined
            }
            onChange={(verify) => onChange({ insecure: verify === 'skip' })}
          />
        </div>
      )}
    </>
  )
}

const TYPED = 'Kept while the source is connected, never stored.'
const HINTS = {
  token: `Leave it empty if the server needs none. ${TYPED}`,
  basic: TYPED,
  certificate: 'PEM files on this machine, read by the main process.',
} as const
