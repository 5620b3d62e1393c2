import '../theme/fonts.css'
import '../theme/tokens.css'
import '../theme/global.css'
import '../theme/layout.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import type { HeadlampPlace, HeadlampStart, HeadlampThread } from '../../core/contract/headlamp.ts'
import { portOver } from '../../core/contract/messageLine.ts'
import { openClient } from '../state/client.ts'
import { startLimits } from '../state/limitsReader.ts'
import { goBy, onPlace, startRoutes } from '../state/route.ts'
import { changeSettings } from '../state/settings.ts'
import { startState } from '../state/start.ts'
import { Embedded } from './Embedded.tsx'

// The page in a frame of Headlamp: the console's own side is a thread of it, which reads the cluster through Headlamp.

/** The code of the thread and the version of the console, inserted by the build. */
declare const APF_THREAD: string
declare const APF_VERSION: string

addEventListener('message', begin)
goBy(visit)
document.addEventListener('click', followLink)

/** A page of an opaque origin may not navigate, even within itself. */
function visit(hash: string): void {
  history.replaceState(null, '', hash)
  dispatchEvent(new HashChangeEvent('hashchange'))
}

function followLink(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest('a[href^="#"]') : null
  if (link === null || event.defaultPrevented) return
  event.preventDefault()
  visit(link.getAttribute('href') ?? '')
}

function begin({ data, source, ports: [requests, view] }: MessageEvent<HeadlampStart | null>): void {
  // Only the page that embeds this frame controls what it shows.
  if (source !== parent || data?.kind !== 'apf-console' || requests === undefined || view === undefined) return
  removeEventListener('message', begin)
  const thread = new Worker(URL.createObjectURL(new Blob([APF_THREAD], { type: 'text/javascript' })))
  const contract = new MessageChannel()
  const about: HeadlampThread = { cluster: data.cluster, version: APF_VERSION }
  thread.postMessage(about, [requests, contract.port2])

  view.addEventListener('message', ({ data: change }: MessageEvent<Pick<HeadlampStart, 'theme'>>) =>
    changeSettings({ theme: change.theme }),
  )
  view.start()
  onPlace(({ screen, level }) => {
    const place: HeadlampPlace =
      screen === 'level' ? { screen, ...(level !== undefined && { level }) } : { screen: 'overview' }
    view.postMessage(place, [])
  })
  const line = portOver(contract.port1)
  const client = openClient(async () => line)
  changeSettings({ theme: data.theme })
  startRoutes()
  startState(client)
  startLimits(client)
  const root = document.querySelector('#root')
  if (root === null) throw new Error('The page has no #root to draw the console into.')
  createRoot(root).render(
    <StrictMode>
      <Embedded />
    </StrictMode>,
  )
}
