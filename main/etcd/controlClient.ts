import { request as httpRequest, type IncomingMessage } from 'node:http'
import type { z } from 'zod'
import { type Problem, ProblemError } from '../../core/errors.ts'
import { ProblemSchema } from '../../core/problem.ts'
import { type EtcdRequest, EtcdRequestSchema } from '../../core/contract/etcd.ts'
import { gather } from '../files/files.ts'
import { addressOf, type ControlAddress, proxyNames } from './control.ts'
import { SERVICE } from './methods.ts'

const MOST_ANSWER_BYTES = 64 * 1024 * 1024

/** A proxy that runs on this machine. */
export interface RunningProxy {
  readonly name: string
  /** Rejects with `ProblemError`: the reason why the proxy refused the call, or `unreachable`. */
  call<S extends z.ZodType>(method: string, input: unknown, answer: S): Promise<z.infer<S>>
  /** Runs until the proxy has sent the requested number of records, or until the signal aborts. */
  monitor(input: unknown, emit: (record: EtcdRequest) => void, signal: AbortSignal): Promise<void>
}

/** The proxy with this name; without a name, the only one that runs. Rejects with `ProblemError`. */
export async function findProxy(folder: string, wanted: string | undefined): Promise<RunningProxy> {
  const names = wanted === undefined ? await proxyNames(folder) : [wanted]
  const found: RunningProxy[] = []
  for (const name of names) {
    const address = await addressOf(folder, name)
    if (address !== undefined && (await answers(address))) found.push(proxyAt(name, address))
  }
  const [first, ...others] = found
  if (first === undefined)
    throw new ProblemError(
      'not-found',
      wanted === undefined
        ? 'No etcd proxy of this user runs. Start one with apf-console etcd-proxy.'
        : `No etcd proxy named ${wanted} runs. Start one with apf-console etcd-proxy --name ${wanted}.`,
    )
  if (others.length > 0)
    throw new ProblemError(
      'invalid-input',
      `Several etcd proxies run: ${found.map(({ name }) => name).join(', ')}. Name one of them with --proxy.`,
    )
  return first
}

/** Whether a proxy still runs at the address in its file: any response to the token comes from that proxy. */
export async function answers(address: ControlAddress): Promise<boolean> {
  try {
    const response = await send(address, 'ClassList', {})
    response.resume()
    return response.statusCode === 200
  } catch {
    return false
  }
}

const proxyAt = (name: string, address: ControlAddress): RunningProxy => ({
  name,
  async call(method, input, answer) {
    const response = await send(address, method, input)
    const value = await jsonIn(response)
    if (response.statusCode !== 200) throw ProblemError.of(problemOf(value))
    return answer.parse(value)
  },
  async monitor(input, emit, signal) {
    const response = await send(address, 'Monitor', input, signal)
    if (response.statusCode !== 200) throw ProblemError.of(problemOf(await jsonIn(response)))
    let rest = ''
    try {
      for await (const chunk of response.setEncoding('utf8')) {
        const lines = (rest + String(chunk)).split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) emit(EtcdRequestSchema.parse(JSON.parse(line)))
      }
    } catch (error) {
      if (!signal.aborted) throw error
    }
  },
})

async function jsonIn(response: IncomingMessage): Promise<unknown> {
  const bytes = await gather('The answer of the proxy', response, { mostBytes: MOST_ANSWER_BYTES })
  return JSON.parse(bytes.toString('utf8'))
}

function problemOf(value: unknown): Problem {
  const read = ProblemSchema.safeParse(value)
  return read.success
    ? read.data
    : { code: 'bad-answer', message: 'The etcd proxy sent an answer that cannot be read.' }
}

function send(address: ControlAddress, method: string, input: unknown, signal?: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      `${address.url}${SERVICE}${method}`,
      {
        method: 'POST',
        headers: { authorization: `Bearer ${address.token}`, 'content-type': 'application/json' },
        agent: false,
        ...(signal && { signal }),
      },
      resolve,
    )
    request.on('error', (error) =>
      reject(new ProblemError('unreachable', 'The etcd proxy does not answer any more.', error.message)),
    )
    request.end(JSON.stringify(input))
  })
}
