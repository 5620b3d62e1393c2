import { create } from 'zustand'
import { identityOf } from '../../core/classify/identity.ts'
import { readRequestText, type RequestReading } from '../../core/classify/requestText.ts'
import type { RequestSample } from '../../core/contract/objects.ts'
import { remembered } from '../../core/classify/recentRequests.ts'
import { formOf, requestOf, type RequestForm } from './request.logic.ts'
import { openPage } from './route.ts'
import type { Supposed } from '../../core/classify/supposed.ts'

/** How the request is entered. */
export type Way = 'fields' | 'text' | 'seen'
/** Which configuration the answer is about. */
export type Side = 'live' | 'draft' | 'both'

interface RequestStore {
  readonly form: RequestForm
  readonly way: Way
  /** The content of the text field, readable or not. */
  readonly text: string
  readonly side: Side
  readonly supposed: Supposed
  /** Requests of this session, the newest first. */
  readonly recent: readonly RequestSample[]
}

const USUAL_USER = 'system:serviceaccount:default:web'

const usualRequest: RequestSample = {
  user: USUAL_USER,
  groups: [...identityOf(USUAL_USER).groups],
  method: 'GET',
  url: '/api/v1/namespaces/default/pods?resourceVersion=0',
}

/** The request on the page One request, kept as long as the console is open. */
export const requestStore = create<RequestStore>(() => ({
  form: formOf(usualRequest),
  way: 'text',
  text: '',
  side: 'live',
  supposed: { count: '', averageSize: '', watchers: '' },
  recent: [],
}))

export const changeForm = (change: (form: RequestForm) => RequestForm): void =>
  requestStore.setState(({ form }) => ({ form: change(form) }))

/** Loads a request into the form. */
export const takeRequest = (request: RequestSample): void =>
  requestStore.setState(({ recent }) => ({ form: formOf(request), recent: remembered(recent, request) }))

/** Shows the answer to a request. */
export function openRequest(request: RequestSample): void {
  takeRequest(request)
  requestStore.setState({ way: 'fields' })
  openPage('classify', 'request')
}

/** Shows the answer to a request as a user would type it: `kubectl get pods -A`. */
export function openRequestText(text: string): void {
  requestStore.setState({ way: 'text', text })
  openPage('classify', 'request')
}

/** Adds the request in the form to the recent requests. */
export const rememberForm = (): void =>
  requestStore.setState(({ recent, form }) => ({ recent: remembered(recent, requestOf(form)) }))

/** The request in a text; missing parts are taken from the form. */
export function readingOf(text: string, form: RequestForm): RequestReading {
  const { user, groups } = requestOf(form)
  return readRequestText(text, { user, ...(!form.groupsFollow && { groups }) })
}
