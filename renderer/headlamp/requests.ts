import { isHeadlampPath, type HeadlampReply, type HeadlampRequest } from '../../core/contract/headlamp.ts'
import type { HeadlampLib } from './headlampLib.ts'

/** The part of a MessagePort that is used here. */
type Line = Pick<MessagePort, 'postMessage' | 'addEventListener' | 'start'>

/**
 * Sends the requests of the console in a frame to its cluster, with the rights of Headlamp’s user: GETs of the paths
 * that the console reads, and nothing else. Returns the function that ends all of them.
 */
export function answerRequests(line: Line, cluster: string, api: HeadlampLib['ApiProxy']): () => void {
  const running = new Map<number, AbortController>()
  const reply = (message: HeadlampReply): void => line.postMessage(message, [])

  const get = async (id: number, path: string, accept: string): Promise<void> => {
    const abort = new AbortController()
    running.set(id, abort)
    try {
      if (!isHeadlampPath(path)) throw Object.assign(new Error(`The console may not read ${path}.`), { status: 403 })
      const { signal } = abort
      const headers = { Accept: accept }
      const response = await api.clusterRequest(path, {
        cluster,
        isJSON: false,
        autoLogoutOnAuthError: false,
        headers,
        signal,
      })
      if (!(response instanceof Response)) throw new Error('Headlamp returned something other than a response.')
      reply({ kind: 'head', id, status: response.status, headers: Object.fromEntries(response.headers) })
      if (response.body !== null) await pass(id, response.body.getReader())
      if (!signal.aborted) reply({ kind: 'end', id })
    } catch (thrown) {
      if (!abort.signal.aborted) reply({ kind: 'failed', id, ...failureOf(thrown) })
    } finally {
      running.delete(id)
    }
  }
  const pass = async (id: number, reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>): Promise<void> => {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      if (!running.has(id)) return reader.cancel()
      reply({ kind: 'piece', id, bytes: piece.value })
    }
  }
  const stop = (id: number): void => {
    running.get(id)?.abort()
    running.delete(id)
  }
  line.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    if (!isRequest(data)) return
    if (data.kind === 'stop') stop(data.id)
    else void get(data.id, data.path, data.accept)
  })
  line.start()
  return () => {
    for (const id of running.keys()) stop(id)
  }
}

function isRequest(data: unknown): data is HeadlampRequest {
  if (typeof data !== 'object' || data === null || !('kind' in data) || !('id' in data)) return false
  if (typeof data.id !== 'number') return false
  if (data.kind === 'stop') return true
  return (
    data.kind === 'get' &&
    'path' in data &&
    typeof data.path === 'string' &&
    'accept' in data &&
    typeof data.accept === 'string'
  )
}

function failureOf(thrown: unknown): Pick<Extract<HeadlampReply, { kind: 'failed' }>, 'status' | 'words'> {
  const words = thrown instanceof Error ? thrown.message : String(thrown)
  const status = typeof thrown === 'object' && thrown !== null && 'status' in thrown ? thrown.status : undefined
  return typeof status === 'number' ? { status, words } : { words }
}
