import * as React from 'react'
import { createRoot } from 'react-dom/client'

// What Headlamp is to a plugin, as far as the console uses it. Headlamp itself does not run here: there is no container and no
// build of it among the packages. It runs plugins, gives them `pluginLib`, and reads clusters through its server in this way.

type Route = { readonly name: string; readonly component: () => React.ReactNode }
let route: Route | undefined
const sidebar: { readonly label: string; readonly url: string }[] = []

const CLUSTER = 'prod-eu-1'
const subscribe = (listener: () => void): (() => void) => {
  addEventListener('popstate', listener)
  return () => removeEventListener('popstate', listener)
}
const usePath = (): readonly string[] =>
  React.useSyncExternalStore(subscribe, () => location.pathname)
    .split('/')
    .slice(3)

function useParams(): Record<string, string> {
  const [, screen, level] = usePath()
  return { ...(screen !== undefined && { screen }), ...(level !== undefined && { level: decodeURIComponent(level) }) }
}

async function clusterRequest(path: string, init: { cluster: string; headers: HeadersInit; signal: AbortSignal }) {
  const { cluster, headers, signal } = init
  const response = await fetch(`/clusters/${cluster}${path}`, { headers, signal })
  if (response.ok) return response
  const { message } = (await response.json()) as { message: string }
  throw Object.assign(new Error(`${response.statusText} - ${message}`), { status: response.status })
}

const mode = new URLSearchParams(location.search).get('theme') === 'light' ? 'light' : 'dark'
Object.assign(window, {
  pluginLib: {
    React,
    ReactRouter: {
      useParams,
      useHistory: () => ({ replace: (path: string) => history.replaceState(null, '', path + location.search) }),
    },
    Router: {
      createRouteURL: (_name: string, { screen = '', level = '' }: Record<string, string> = {}) =>
        `/c/${CLUSTER}/apf/${screen}${level === '' ? '' : `/${encodeURIComponent(level)}`}`,
    },
    K8s: { useCluster: () => CLUSTER },
    MuiMaterial: { useTheme: () => ({ palette: { mode } }) },
    ApiProxy: { clusterRequest },
    registerRoute: (given: Route) => void (route = given),
    registerSidebarEntry: (entry: (typeof sidebar)[number]) => sidebar.push(entry),
  },
})

const Host = ({ shown }: { readonly shown: Route }) => (
  <>
    <header style={{ height: 64, display: 'flex', gap: 24, alignItems: 'center' }}>
      <h1 style={{ margin: 0 }}>Headlamp</h1>
      <nav aria-label="Cluster">
        {sidebar.map(({ label, url }) => (
          <a key={url} href={`/c/${CLUSTER}${url}`}>
            {label}
          </a>
        ))}
      </nav>
    </header>
    <shown.component />
  </>
)

const source = await (await fetch('/plugins/apf-console/main.js')).text()
// Headlamp hides these from plugins, and runs them in strict mode.
const hidden = ['window', 'globalThis', 'self', 'document']
const run = Reflect.construct(Function, [...hidden, `'use strict';\n${source}`]) as () => void
run()
const root = document.querySelector('#root')
if (route !== undefined && root !== null) createRoot(root).render(<Host shown={route} />)
