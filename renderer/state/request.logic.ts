import { knownResource } from '../../core/classify/builtInResources.ts'
import { identityOf } from '../../core/classify/identity.ts'
import { digestRequest } from '../../core/classify/classification.ts'
import {
  addressOf,
  fieldsOf,
  methodOfVerb,
  type RequestAddress,
  type RequestFields,
  type ResourceFields,
} from '../../core/classify/requestFields.ts'
import { filledLines } from '../../core/text/text.ts'
import type { RequestSample } from '../../core/contract/objects.ts'

/** A request while it is edited: the fields and the path agree, unless `problem` states why they cannot. */
export interface RequestForm {
  readonly user: string
  /** One group a line. */
  readonly groups: string
  /** The groups are those that follow from the user name. */
  readonly groupsFollow: boolean
  readonly fields: RequestFields
  /** The last address on which both agreed; the answer is about it. */
  readonly address: RequestAddress
  /** Path and query as typed. */
  readonly path: string
  /** The error in the last edit, and its place. */
  readonly problem?: { readonly at: 'fields' | 'path'; readonly text: string }
}

/** Fields that only resource requests have. */
export type ResourceField = 'apiGroup' | 'version' | 'resource' | 'subresource' | 'namespace' | 'name'
/** Query parameters that have their own field. */
export type OptionField = 'resourceVersion' | 'limit'

const followingGroups = (user: string): string => identityOf(user).groups.join('\n')

export const requestOf = ({ user, groups, address }: RequestForm): RequestSample => ({
  user,
  groups: filledLines(groups),
  ...address,
})

/** The form for a request. An address that no server understands leaves the fields unchanged. */
export function formOf({ user, groups, method, url }: RequestSample): RequestForm {
  const text = groups.join('\n')
  const address = { method, url }
  return {
    user,
    groups: text,
    groupsFollow: text === followingGroups(user),
    fields: fieldsOf(address) ?? { kind: 'path', ...address },
    address,
    path: url,
  }
}

export const withUser = (form: RequestForm, user: string): RequestForm => ({
  ...form,
  user,
  ...(form.groupsFollow && { groups: followingGroups(user) }),
})

export const withGroups = (form: RequestForm, groups: string): RequestForm => ({
  ...form,
  groups,
  groupsFollow: filledLines(groups).join('\n') === followingGroups(form.user),
})

export const withFollowingGroups = (form: RequestForm): RequestForm => withGroups(form, followingGroups(form.user))

function withFields({ problem: _gone, ...form }: RequestForm, fields: RequestFields): RequestForm {
  const address = addressOf(fields)
  return 'problem' in address
    ? { ...form, fields, problem: { at: 'fields', text: address.problem } }
    : { ...form, fields, address, path: address.url }
}

/** Applies a path to the fields. */
export function withPath({ problem: _gone, ...form }: RequestForm, path: string): RequestForm {
  const address = { method: form.address.method, url: path }
  const fields = fieldsOf(address)
  if (fields !== undefined) return { ...form, fields, address, path }
  const read = digestRequest({ user: form.user, groups: [], ...address })
  return {
    ...form,
    path,
    problem: { at: 'path', text: read.ok ? 'This path is not valid on any server.' : read.problem },
  }
}

/** Verbs of resources, and the method in lower case for everything else. */
export const verbOf = (fields: RequestFields): string =>
  fields.kind === 'resource' ? fields.verb : fields.method.toLowerCase()

const OF_COLLECTIONS = new Set(['list', 'watch', 'deletecollection', 'create'])

export function withVerb(form: RequestForm, verb: string): RequestForm {
  const { fields } = form
  if (fields.kind === 'path') {
    const method = methodOfVerb(verb)
    // With another method, the fields may be able to represent the path.
    return withPath({ ...form, address: { ...form.address, method } }, fields.url)
  }
  const ofCollection = OF_COLLECTIONS.has(verb) && fields.subresource === ''
  return withFields(form, { ...fields, verb, ...(ofCollection && { name: '' }) })
}

const EMPTY: ResourceFields = {
  kind: 'resource',
  verb: 'list',
  apiGroup: '',
  version: 'v1',
  resource: '',
  subresource: '',
  namespace: '',
  name: '',
  options: [],
}
const VERB_OF_METHOD: ReadonlyMap<string, string> = new Map([
  ['POST', 'create'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
  ['DELETE', 'delete'],
])

const resourceFields = (fields: RequestFields): ResourceFields =>
  fields.kind === 'resource' ? fields : { ...EMPTY, verb: VERB_OF_METHOD.get(fields.method) ?? 'list' }

/** A known resource sets its group and version, and clears the namespace if it is cluster-scoped. */
function belonging(fields: ResourceFields): ResourceFields {
  const known = knownResource(fields.resource)
  if (known?.resource !== fields.resource) return fields
  const { apiGroup, version, namespaced } = known
  return { ...fields, apiGroup, version, subresource: '', ...(!namespaced && { namespace: '' }) }
}

export function withField(form: RequestForm, field: ResourceField, text: string): RequestForm {
  const fields = { ...resourceFields(form.fields), [field]: text.trim() }
  if (field === 'resource') return withFields(form, belonging(fields))
  if (field !== 'apiGroup') return withFields(form, fields)
  const known = knownResource(fields.resource, fields.apiGroup)
  return withFields(form, { ...fields, version: known?.version ?? fields.version })
}

export const optionOf = (fields: RequestFields, name: OptionField): string =>
  (fields.kind === 'resource' && fields.options.find(([option]) => option === name)?.[1]) || ''

export function withOption(form: RequestForm, name: OptionField, value: string): RequestForm {
  const fields = resourceFields(form.fields)
  const others = fields.options.filter(([option]) => option !== name)
  const text = value.trim()
  return withFields(form, { ...fields, options: text === '' ? others : [...others, [name, text]] })
}
