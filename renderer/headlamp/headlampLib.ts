import type { ReactNode } from 'react'

/** The used part of `window.pluginLib` of Headlamp: `@kinvolk/headlamp-plugin` 0.14 and its React 18. */
export interface HeadlampLib {
  readonly React: Pick<typeof import('react'), 'createElement' | 'useEffect' | 'useState'>
  readonly ReactRouter: {
    useParams(): Readonly<Record<string, string | undefined>>
    useHistory(): { replace(path: string): void }
  }
  readonly Router: { createRouteURL(name: string, params?: Readonly<Record<string, string>>): string }
  readonly K8s: { useCluster(): string | null }
  readonly MuiMaterial: { useTheme(): { readonly palette: { readonly mode: 'light' | 'dark' } } }
  readonly ApiProxy: {
    /** Resolves to the `Response` where `isJSON` is false; rejects with an error that has a `status` where it is not 2xx. */
    clusterRequest(
      path: string,
      params: {
        readonly cluster: string
        readonly isJSON: false
        readonly autoLogoutOnAuthError: false
        readonly headers: Readonly<Record<string, string>>
        readonly signal: AbortSignal
      },
    ): Promise<unknown>
  }
  registerRoute(route: {
    readonly path: string
    readonly exact: true
    readonly name: string
    readonly sidebar: string
    readonly isFullWidth: true
    readonly component: () => ReactNode
  }): void
  registerSidebarEntry(entry: {
    readonly parent: string | null
    readonly name: string
    readonly label: string
    readonly url: string
    readonly icon: string
  }): void
}
