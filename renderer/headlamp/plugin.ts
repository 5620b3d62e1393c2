import type { HeadlampPlace, HeadlampStart } from '../../core/contract/headlamp.ts'
import type { HeadlampLib } from './headlampLib.ts'
import { answerRequests } from './requests.ts'

// The plugin that Headlamp runs. It is minimal: the console is a separate page in a frame, with its own React, styles
// and globals, so that neither affects the other. Headlamp hides `window` and `document` from plugins; neither is used.

declare const pluginLib: HeadlampLib
/** The page of the frame, inserted by the build. */
declare const APF_PAGE: string

const NAME = 'apf-console'

const { React, ReactRouter, Router, K8s, MuiMaterial, ApiProxy } = pluginLib

let page: string | undefined

/** Address of the page of the frame, at a place within it. */
function pageAt(place: string): string {
  page ??= URL.createObjectURL(new Blob([APF_PAGE], { type: 'text/html' }))
  return page + place
}

/** Fills the area below Headlamp's bar. */
const FILLS = { display: 'block', width: '100%', height: 'calc(100vh - 64px)', border: 0 } as const

/** The line to the page in a frame, which reads the cluster through it; a new one whenever the frame has loaded. */
function createLine() {
  let present: { readonly view: MessagePort; readonly stop: () => void } | undefined
  const end = (): void => {
    present?.stop()
    present?.view.close()
    present = undefined
  }
  return {
    begin(frame: Window, start: HeadlampStart, onPlace: (place: HeadlampPlace) => void): void {
      end()
      const [requests, view] = [new MessageChannel(), new MessageChannel()]
      const stop = answerRequests(requests.port1, start.cluster, ApiProxy)
      present = { view: view.port1, stop }
      view.port1.addEventListener('message', ({ data }: MessageEvent<HeadlampPlace>) => onPlace(data))
      view.port1.start()
      // The frame has an opaque origin, which no target origin can match.
      frame.postMessage(start, '*', [requests.port2, view.port2])
    },
    setTheme: (theme: HeadlampStart['theme']) => present?.view.postMessage({ theme }, []),
    end,
  }
}

function Console() {
  const cluster = K8s.useCluster() ?? ''
  const theme = MuiMaterial.useTheme().palette.mode
  const { screen, level = '' } = ReactRouter.useParams()
  const history = ReactRouter.useHistory()
  const [line] = React.useState(createLine)
  React.useEffect(() => line.setTheme(theme), [line, theme])
  React.useEffect(() => line.end, [line])
  // The initial place of the frame; after that, the frame reports its place.
  const [src] = React.useState(() => pageAt(screen === 'level' ? `#/level/${encodeURIComponent(level)}` : '#/overview'))
  return React.createElement('iframe', {
    // Nothing of another cluster may stay.
    key: cluster,
    src,
    title: 'APF Console',
    sandbox: 'allow-scripts allow-downloads',
    allow: 'clipboard-write',
    style: FILLS,
    onLoad({ currentTarget: { contentWindow } }: { readonly currentTarget: HTMLIFrameElement }) {
      if (contentWindow === null) return
      line.begin(contentWindow, { kind: 'apf-console', cluster, theme }, (place) =>
        history.replace(Router.createRouteURL(NAME, { ...place })),
      )
    },
  })
}

pluginLib.registerSidebarEntry({
  parent: 'cluster',
  name: NAME,
  label: 'Priority and Fairness',
  url: '/apf',
  icon: 'mdi:traffic-light-outline',
})
pluginLib.registerRoute({
  path: '/apf/:screen?/:level?',
  exact: true,
  name: NAME,
  sidebar: NAME,
  isFullWidth: true,
  component: () => React.createElement(Console),
})
