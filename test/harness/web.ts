import { WebSocket } from 'ws'
import type { Port } from '../../core/contract/protocol.ts'
import { startWebServer } from '../../main/server/webServer.ts'
import type { WebServer } from '../../main/server/webServer.ts'
import { webSocketPorts } from '../../main/transport/webSocketPort.ts'
import { fakeWorkspace } from './handlers.ts'
import type { FakeWorkspace } from './handlers.ts'
import { enter, openSocket } from './http.ts'
import { tinyPage } from './page.ts'

export interface WebWorld {
  readonly workspace: FakeWorkspace
  readonly server: WebServer
  readonly origin: string
  /** A socket with a session. */
  socket(): Promise<WebSocket>
  /** The same as the asking end of a line. */
  port(): Promise<Port>
  close(): Promise<void>
}

/** A web server with a tiny page over a fake workspace. */
export async function webWorld(): Promise<WebWorld> {
  const page = tinyPage()
  const workspace = fakeWorkspace('web')
  const server = await startWebServer({ root: page.root, handlers: workspace.handlers })
  const { origin } = server
  const { cookie, secret } = await enter(server.newAddress().url)
  const socket = async (): Promise<WebSocket> => {
    const opened = await openSocket(origin, { origin, cookie }, { secret })
    if (!(opened instanceof WebSocket)) throw new Error(`refused with ${opened}`)
    return opened
  }
  return {
    workspace,
    server,
    origin,
    socket,
    port: async () => webSocketPorts()(await socket()),
    close: async () => {
      await server.close()
      page.remove()
    },
  }
}
