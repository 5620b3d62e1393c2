import { memo, useMemo, useState } from 'react'
import { KNOWN_RESOURCES } from '../../../../core/classify/builtInResources.ts'
import { identityOf } from '../../../../core/classify/identity.ts'
import { RESOURCE_VERBS } from '../../../../core/classify/requestFields.ts'
import type { DumpFrame } from '../../../../core/frame/dump.ts'
import { unixMsOf } from '../../../../core/units.ts'
import type { RequestFormat } from '../../../../core/classify/requestText.ts'
import { SelectField, TextArea, TextField } from '../../../components/Field.tsx'
import {
  optionOf,
  verbOf,
  withField,
  withFollowingGroups,
  withGroups,
  withOption,
  withPath,
  withUser,
  withVerb,
  type OptionField,
  type RequestForm,
  type ResourceField,
  formOf,
  requestOf,
} from '../../../state/request.logic.ts'
import { changeForm, readingOf, takeRequest, requestStore } from '../../../state/request.ts'
import { classes } from '../../../components/classes.ts'
import { LevelChip } from '../../../components/LevelChip.tsx'
import { format } from '../../../theme/format.ts'
import { Button } from '../../../components/Button.tsx'
import { NoDumps } from '../shared/Notes.tsx'
import { filteredSeen, seenRequests, type SeenRequest } from '../shared/seen.data.ts'
import styles from './request.module.css'

const PATH_VERBS = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options']
const RESOURCES_ID = 'classify-resources'

/** A request by its parts; the path below shows the same. */
export const FieldsForm = memo(function FieldsForm({ form }: { readonly form: RequestForm }) {
  const { fields, problem } = form
  const offered = fields.kind === 'resource' ? RESOURCE_VERBS : PATH_VERBS
  const verb = verbOf(fields)
  const verbs = offered.includes(verb) ? offered : [verb, ...offered]
  return (
    <div className={styles['form']}>
      <Sender form={form} />
      <div className={styles['pair']}>
        <SelectField
          label="Verb"
          value={verb}
          options={verbs}
          onChange={(next) => changeForm((old) => withVerb(old, next))}
        />
        <Part form={form} field="resource" label="Resource" placeholder="none; only the path is used" list />
      </div>
      <div className={styles['pair']}>
        <Part form={form} field="apiGroup" label="API group" placeholder="core (empty)" />
        <Part form={form} field="version" label="Version" placeholder="v1" />
      </div>
      <div className={styles['pair']}>
        <Part form={form} field="namespace" label="Namespace" placeholder="none" />
        <Part form={form} field="name" label="Name" placeholder="none" />
      </div>
      <div className={styles['three']}>
        <Part form={form} field="subresource" label="Subresource" placeholder="none" />
        <Option form={form} name="resourceVersion" label="resourceVersion" />
        <Option form={form} name="limit" label="limit" />
      </div>
      {problem?.at === 'fields' && (
        <p className="small leading-140 bad" role="status">
          {problem.text}
        </p>
      )}
      <TextArea
        label={`Path, ${form.address.method}`}
        hint={
          fields.kind === 'resource'
            ? 'Type a path and the fields above follow.'
            : 'The fields cannot express this path, so verb and path are used. Enter a resource to use the fields.'
        }
        error={problem?.at === 'path' ? problem.text : undefined}
        className="breaks"
        rows={2}
        autoComplete="off"
        value={form.path}
        onChange={(path) => changeForm((old) => withPath(old, path.replaceAll(/\s/g, '')))}
      />
      <datalist id={RESOURCES_ID}>
        {KNOWN_RESOURCES.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </datalist>
    </div>
  )
})

/** The sender: the groups follow from the name until they are edited. */
function Sender({ form }: { readonly form: RequestForm }) {
  const { user, groups, groupsFollow } = form
  return (
    <>
      <TextField
        label="User"
        error={user === '' ? 'Enter the user; a request without credentials is system:anonymous.' : undefined}
        value={user}
        onChange={(next) => changeForm((old) => withUser(old, next))}
      />
      <TextArea
        label="Groups"
        hint={
          groupsFollow ? (
            identityOf(user).reason
          ) : (
            <span className="row between gap-8">
              As entered, one per line.
              <Button small onClick={() => changeForm(withFollowingGroups)}>
                Follow the name
              </Button>
            </span>
          )
        }
        rows={3}
        value={groups}
        onChange={(next) => changeForm((old) => withGroups(old, next))}
      />
    </>
  )
}

function Part(props: {
  readonly form: RequestForm
  readonly field: ResourceField
  readonly label: string
  readonly placeholder: string
  readonly list?: boolean
}) {
  const { form, field, label, placeholder, list = false } = props
  const { fields } = form
  return (
    <TextField
      label={label}
      placeholder={placeholder}
      list={list ? RESOURCES_ID : undefined}
      value={fields.kind === 'resource' ? fields[field] : ''}
      onChange={(text) => changeForm((old) => withField(old, field, text))}
    />
  )
}

function Option(props: { readonly form: RequestForm; readonly name: OptionField; readonly label: string }) {
  const { form, name, label } = props
  return (
    <TextField
      label={label}
      placeholder="not set"
      disabled={form.fields.kind === 'path'}
      value={optionOf(form.fields, name)}
      onChange={(text) => changeForm((old) => withOption(old, name, text))}
    />
  )
}

/** More are too many to read through; the filter finds them. */
const MOST = 60

/** A request that waits or executes now; the list does not change until the reader loads a newer dump. */
export const SeenForm = memo(function SeenForm(props: {
  readonly server: string | undefined
  readonly dump: DumpFrame | undefined
}) {
  const { server, dump } = props
  const [held, setHeld] = useState(dump)
  const [filter, setFilter] = useState('')
  const shown = held?.server === dump?.server ? (held ?? dump) : dump
  if (shown !== held) setHeld(shown)
  const seen = useMemo(() => seenRequests(shown?.requests ?? []), [shown])
  const filtered = useMemo(() => filteredSeen(seen, filter), [seen, filter])
  if (shown?.requests === undefined) {
    return (
      <div className={styles['form']}>
        <NoDumps server={server} dump={dump} what="single requests" />
      </div>
    )
  }
  const hidden = filtered.length - MOST
  return (
    <div className={styles['form']}>
      <TextField
        kind="text"
        type="search"
        label="Filter"
        hint={`${format.fixed(filtered.length)} of ${format.fixed(seen.length)} requests of the dump of ${format.time(unixMsOf(shown.at))}. Their groups are guessed from the user’s name.`}
        placeholder="user, verb, path, schema"
        spellCheck={false}
        value={filter}
        onChange={setFilter}
      />
      <Button small onClick={() => setHeld(dump)} disabled={dump === shown}>
        Take the newest dump
      </Button>
      {filtered.length === 0 ? (
        <p className={styles['quiet']}>
          {seen.length === 0 ? 'Nothing waits or executes in this dump.' : 'No request matches this filter.'}
        </p>
      ) : (
        <ul className={classes(styles['list'], styles['seen'])} aria-label="Requests of the dump">
          {filtered.slice(0, MOST).map((row) => (
            <li key={row.key}>
              <SeenItem row={row} />
            </li>
          ))}
        </ul>
      )}
      {hidden > 0 && <p className={styles['quiet']}>{`${format.fixed(hidden)} more; filter to find them.`}</p>}
    </div>
  )
})

function SeenItem({ row }: { readonly row: SeenRequest }) {
  const { words, user, namespace, level, schema, waiting, executing, request } = row
  const counts = [waiting > 0 && `${waiting} queued`, executing > 0 && `${executing} executing`].filter(Boolean)
  return (
    <button type="button" className={styles['item']} title={request.url} onClick={() => takeRequest(request)}>
      <span className={`${styles['itemText']} stack shrink-x`}>
        <span className="mono">{namespace === '' ? words : `${words} in ${namespace}`}</span>
        <span className={styles['quiet']}>{`${user}, ${counts.join(', ')}`}</span>
      </span>
      <span title={schema}>
        <LevelChip name={level} />
      </span>
    </button>
  )
}

const FORMATS: Readonly<Record<RequestFormat, string>> = {
  kubectl: 'a kubectl command',
  curl: 'a curl command',
  audit: 'an audit event',
  dump: 'a line of a request dump',
  'client-log': 'a line of a client’s log',
  'server-log': 'a RequestInfo of a server’s log',
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

/** Reads a text; the form supplies the parts that the text lacks. */
function read(text: string): void {
  const reading = readingOf(text, requestStore.getState().form)
  requestStore.setState({ text, ...(reading.ok && { form: formOf(reading.request) }) })
}

/** A request as a command, an audit event, or another format that it was copied from. */
export const TextForm = memo(function TextForm({ text, form }: { readonly text: string; readonly form: RequestForm }) {
  const reading = useMemo(() => (text.trim() === '' ? undefined : readingOf(text, form)), [text, form])
  const { user, method, url } = requestOf(form)
  return (
    <div className={styles['form']}>
      <TextArea
        label="Command, audit event or path"
        hint="kubectl, curl, GET /path, an audit event (JSON), or a line of dump_requests."
        error={reading?.ok === false ? reading.problem : undefined}
        rows={7}
        value={text}
        onChange={read}
      />
      <div className="flex wrap gap-6" role="group" aria-label="Examples">
        {EXAMPLES.map(([name, example]) => (
          <Button key={name} small onClick={() => read(example)}>
            {name}
          </Button>
        ))}
      </div>
      {reading?.ok === true && (
        <div className={`${styles['reading']} stack gap-3 breaks`} role="status">
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
