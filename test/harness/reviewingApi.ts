import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * An API server that answers reviews of tokens and rights, and forwards the rest to the server behind it: what a
 * console in a cluster needs of an API server and a simulated one does not have.
 */
export async function startReviewingApi(
  behind: string,
  users: Readonly<Record<string, string>>,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer((incoming, response) => {
    const { url = '/', method } = incoming
    if (method !== 'POST') return pass(new URL(behind + url), incoming, response)
    void answerReview(incoming, response, users)
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

async function answerReview(
  incoming: IncomingMessage,
  response: ServerResponse,
  users: Readonly<Record<string, string>>,
): Promise<void> {
  const status = await review(incoming, users)
  response.writeHead(201, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ status }))
}

async function review(incoming: IncomingMessage, users: Readonly<Record<string, string>>): Promise<object> {
  let text = ''
  for await (const piece of incoming) text += String(piece)
  const { spec } = JSON.parse(text) as { spec?: { token?: string } }
  if (spec?.token === undefined) return { allowed: true }
  const username = users[spec.token]
  return username === undefined ? { authenticated: false } : { authenticated: true, user: { username } }
}

function pass(url: URL, incoming: IncomingMessage, response: ServerResponse): void {
  const outgoing = request(url, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
  outgoing.on('error', () => response.destroy())
  incoming.on('close', () => outgoing.destroy())
  response.on('close', () => outgoing.destroy())
  outgoing.end()
}
