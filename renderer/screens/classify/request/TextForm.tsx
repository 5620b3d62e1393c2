import { memo, useMemo } from 'react'
import { readRequestText, type RequestFormat, type Sender } from '../../../../core/classify/requestText.ts'
import { Button } from '../../../components/Button.tsx'
import { Field, inputClass } from '../../../components/Field.tsx'
import { formOf, requestOf, type RequestForm } from '../../../state/request.logic.ts'
import { requestStore } from '../../../state/request.ts'
import styles from './request.module.css'

const FORMATS: Readonly<Record<RequestFormat, string>> = {
  kubectl: 'a kubectl command',
  curl: 'a curl command',
  audit: 'an audit event',
  dump: 'a line of a request dump',
  'request-line': 'a request line',
}

const EXAMPLES: readonly (readonly [name: string, text: string])[] = [
  ['kubectl', 'kubectl get pods -n default --as system:serviceaccount:default:web'],
  ['curl', "curl -X DELETE 'https://server/api/v1/namespaces/default/pods?limit=500'"],
  [
    'Audit event',
    '{"verb":"list","requestURI":"/api/v1/pods?resourceVersion=0","user":{"username":"alice","groups":["team-a","system:authenticated"]}}',
  ],
  ['Path', 'GET /livez'],
]

/** Who sends the request where the text does not say. */
function senderOf(form: RequestForm): Sender {
  const { user, groups } = requestOf(form)
  return { user, ...(!form.groupsFollow && { groups }) }
}

/** Reads a text; what it does not say is taken from the form. */
function read(text: string): void {
  const reading = readRequestText(text, senderOf(requestStore.getState().form))
  requestStore.setState({ text, ...(reading.ok && { form: formOf(reading.request) }) })
}

/** A request as a command, an audit event, or whatever else it was copied from. */
export const TextForm = memo(function TextForm({ text, form }: { readonly text: string; readonly form: RequestForm }) {
  const reading = useMemo(() => (text.trim() === '' ? undefined : readRequestText(text, senderOf(form))), [text, form])
  const { user, method, url } = requestOf(form)
  return (
    <div className={styles['form']}>
      <Field
        label="Command, audit event or path"
        hint="kubectl, curl, GET /path, an audit event (JSON), or a line of dump_requests."
        error={reading?.ok === false ? reading.problem : undefined}
      >
        {(attributes) => (
          <textarea
            {...attributes}
            className={inputClass}
            rows={7}
            value={text}
            spellCheck={false}
            onChange={({ target }) => read(target.value)}
          />
        )}
      </Field>
      <div className={styles['examples']} role="group" aria-label="Examples">
        {EXAMPLES.map(([name, example]) => (
          <Button key={name} small onClick={() => read(example)}>
            {name}
          </Button>
        ))}
      </div>
      {reading?.ok === true && (
        <div className={styles['reading']} role="status">
          <p>Read as {FORMATS[reading.format]}:</p>
          <p className="mono">{`${method} ${url}`}</p>
          <p className="mono">{`as ${user}`}</p>
          {reading.notes.map((note) => (
            <p key={note} className={styles['quiet']}>
              {note}
            </p>
          ))}
        </div>
      )}
    </div>
  )
})
